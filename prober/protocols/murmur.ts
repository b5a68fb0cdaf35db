// GTmurmur, GameTracker's viewer beside a Mumble server. What it tells is
// https://www.mumble.info/documentation/developer/channel-viewer-protocol/ and fields of its own, asked for as in
// src/GameQ/Protocols/Mumble.php of https://github.com/Austinb/GameQ

import type { RawPlayer, RawStatus } from '../answers/raw-status.ts';
import { JsonDocument } from './json-document.ts';
import { countField, type Fields, objectField, portField, textField } from './json-fields.ts';
import { MalformedReply, MORE, type Protocol, type Step, type StreamExchange, strictly } from './protocol.ts';

const REQUEST = Buffer.from('json');
/** Descriptions and comments are told in full: one of 216 channels and 38 users is of 219 KiB. */
const MAX_BYTES = 256 * 1024;
const MAX_LISTED = 1024;

class MurmurExchange implements StreamExchange {
  readonly #document = new JsonDocument(MAX_BYTES);

  request(): Buffer[] {
    return [REQUEST];
  }

  receive(chunk: Buffer): Step {
    return strictly(() => {
      const document = this.#document.add(chunk);
      return document === undefined ? MORE : { kind: 'done', status: readStatus(document) };
    });
  }

  partial(): RawStatus | undefined {
    return undefined;
  }
}

function readStatus(document: unknown): RawStatus {
  const server = objectField(document, 'server');
  const playerList: RawPlayer[] = [];
  const players = readChannel(server.root, playerList);
  const status: RawStatus = {
    // Absent is empty.
    name: textField(server.name ?? '', 'name'),
    players,
    playerList,
  };
  // GTmurmur's own; viewers of another make leave them out.
  const {
    x_gtmurmur_max_users: places,
    x_gtmurmur_server_version: version,
    x_gtmurmur_connectport: port,
  } = server;
  if (places !== undefined) status.maxplayers = countField(places, 'x_gtmurmur_max_users');
  if (version !== undefined) status.version = textField(version, 'x_gtmurmur_server_version');
  if (port !== undefined) status.connectPort = portField(port, 'x_gtmurmur_connectport');
  return status;
}

/** Lists the users in a channel and in those below it; how many they are. No deeper than the document may be. */
function readChannel(value: unknown, list: RawPlayer[]): number {
  const channel = objectField(value, 'channel');
  const users = elements(channel, 'users');
  for (const user of users) {
    const { name, onlinesecs } = objectField(user, 'user');
    const player: RawPlayer = { name: textField(name, "user's name") };
    if (typeof onlinesecs === 'number') player.time = onlinesecs;
    if (list.length < MAX_LISTED) list.push(player);
  }
  return elements(channel, 'channels').reduce<number>(
    (count, below) => count + readChannel(below, list),
    users.length,
  );
}

function elements(object: Fields, key: string): unknown[] {
  const value = object[key];
  if (!Array.isArray(value)) throw new MalformedReply(`no list of ${key}`);
  return value;
}

/** Mumble servers with GTmurmur beside them, at a port of its own. */
export const murmur: Protocol = { transport: 'tcp', colours: 'none', open: () => new MurmurExchange() };
