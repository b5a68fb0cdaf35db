// GTmurmur, GameTracker's viewer that runs beside a Mumble server. Its document is that of
// https://www.mumble.info/documentation/developer/channel-viewer-protocol/ with fields of its own; the
// question is that of src/GameQ/Protocols/Mumble.php of https://github.com/Austinb/GameQ

import type { RawPlayer, RawStatus } from '../answers/raw-status.ts';
import { JsonDocument } from './json-document.ts';
import { countField, type Fields, objectField, portField, textField } from './json-fields.ts';
import { MalformedReply, MORE, type Protocol, type Step, type StreamExchange, strictly } from './protocol.ts';

const REQUEST = Buffer.from('json');
/**
 * Largest document, bytes. Descriptions are included in full: a server of 216 channels and 38 users sends 219
 * KiB.
 */
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
    // An absent name counts as empty.
    name: textField(server.name ?? '', 'name'),
    players,
    playerList,
  };
  // Fields of GTmurmur only; other viewers omit them.
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

/**
 * Adds the users of a channel and its subchannels to `list`, and returns their number. The nesting limit of
 * the document bounds the recursion.
 */
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

/** The protocol of Mumble servers with GTmurmur, which has a port of its own. */
export const murmur: Protocol = { transport: 'tcp', colours: 'none', open: () => new MurmurExchange() };
