// The query of GTmurmur, a program of GameTracker that runs beside a Mumble server and publishes its channels. GTmurmur
// replies with the JSON document of https://www.mumble.info/documentation/developer/channel-viewer-protocol/ and adds
// more fields. Source of the request: src/GameQ/Protocols/Mumble.php of https://github.com/Austinb/GameQ

import type { RawPlayer, RawStatus } from '../answers/raw-status.ts';
import { JsonDocument } from './json-document.ts';
import { countField, type Fields, objectField, portField, textField } from './json-fields.ts';
import { MalformedReply, MORE, type Protocol, type Step, type StreamExchange, strictly } from './protocol.ts';

const REQUEST = Buffer.from('json');
/**
 * Maximum size of a document, bytes. Documents contain the full channel descriptions: a server with 216 channels and 38
 * users sends 219 KiB.
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
      const document = this.#document.addBytes(chunk);
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
    // If the Mumble server has no name, its status contains an empty name.
    name: textField(server.name ?? '', 'name'),
    players,
    playerList,
  };
  // Fields that start with `x_gtmurmur` are optional, because the standard document does not contain them; GTmurmur
  // adds them.
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
 * Adds the users of a channel and of its subchannels to `list`. Returns the number of these users. The recursion cannot
 * become too deep, because JsonDocument limits the nesting.
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

/**
 * The protocol of GTmurmur, which reports the status of the Mumble server beside it. GTmurmur has a different port than
 * the Mumble server.
 */
export const murmur: Protocol = { transport: 'tcp', colours: 'none', open: () => new MurmurExchange() };
