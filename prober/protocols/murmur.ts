// GTmurmur, GameTracker's viewer beside a Mumble server. What it tells is
// https://www.mumble.info/documentation/developer/channel-viewer-protocol/ and fields of its own, asked for as in
// src/GameQ/Protocols/Mumble.php of https://github.com/Austinb/GameQ

import { JsonDocument } from './json-document.ts';
import {
  MalformedReply,
  MORE,
  type Protocol,
  type RawPlayer,
  type RawStatus,
  type Step,
  type StreamExchange,
  strictly,
} from './protocol.ts';

const REQUEST = Buffer.from('json');
/** Descriptions and comments are told in full: one of 216 channels and 38 users is of 219 KiB. */
const MAX_BYTES = 256 * 1024;
const MAX_LISTED = 1024;
const WHOLE_NUMBER = /^\d{1,9}$/;

type Fields = Record<string, unknown>;

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
  const server = fields(document, 'server');
  const playerList: RawPlayer[] = [];
  const players = readChannel(server.root, playerList);
  const status: RawStatus = {
    // Absent is empty.
    name: text(server.name ?? '', 'name'),
    players,
    maxplayers: wholeNumber(server.x_gtmurmur_max_users ?? 0, 'x_gtmurmur_max_users'),
    playerList,
  };
  const { x_gtmurmur_server_version: version, x_gtmurmur_connectport: port } = server;
  if (version !== undefined) status.version = text(version, 'x_gtmurmur_server_version');
  if (port !== undefined) status.connectPort = portNumber(port);
  return status;
}

/** Lists the users in a channel and in those below it; how many they are. No deeper than the document may be. */
function readChannel(value: unknown, list: RawPlayer[]): number {
  const channel = fields(value, 'channel');
  const users = elements(channel, 'users');
  for (const user of users) {
    const { name, onlinesecs } = fields(user, 'user');
    const player: RawPlayer = { name: text(name, "user's name") };
    if (typeof onlinesecs === 'number') player.time = onlinesecs;
    if (list.length < MAX_LISTED) list.push(player);
  }
  return elements(channel, 'channels').reduce<number>(
    (count, below) => count + readChannel(below, list),
    users.length,
  );
}

function fields(value: unknown, what: string): Fields {
  if (typeof value !== 'object' || value === null) {
    throw new MalformedReply(`a ${what} that is no object`);
  }
  return value as Fields;
}

function elements(object: Fields, key: string): unknown[] {
  const value = object[key];
  if (!Array.isArray(value)) throw new MalformedReply(`no list of ${key}`);
  return value;
}

function text(value: unknown, what: string): string {
  if (typeof value !== 'string') throw new MalformedReply(`no text ${what}`);
  return value;
}

/** GTmurmur writes numbers as text, some of them. */
function wholeNumber(value: unknown, what: string): number {
  const digits = typeof value === 'number' ? String(value) : value;
  if (typeof digits !== 'string' || !WHOLE_NUMBER.test(digits)) throw new MalformedReply(`no number ${what}`);
  return Number(digits);
}

function portNumber(value: unknown): number {
  const port = wholeNumber(value, 'x_gtmurmur_connectport');
  if (port === 0 || port > 65535) throw new MalformedReply(`no port ${port}`);
  return port;
}

/** Mumble servers with GTmurmur beside them, at a port of its own. */
export const murmur: Protocol = { transport: 'tcp', colours: 'none', open: () => new MurmurExchange() };
