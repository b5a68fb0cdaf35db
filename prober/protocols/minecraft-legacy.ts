// The server list ping of Minecraft Java before 1.7:
// https://minecraft.wiki/w/Java_Edition_protocol/Server_List_Ping#1.4_to_1.5

import type { RawStatus } from '../answers/raw-status.ts';
import {
  MalformedReply,
  MORE,
  type Step,
  type StreamExchange,
  type StreamProtocol,
  strictly,
} from './protocol.ts';

/**
 * The ping. 1.4 and 1.5 expect both bytes, Beta 1.8 to 1.3 read the first one, and 1.6 answers after waiting
 * for more bytes, which versions before 1.4 would reject.
 */
const PING = Buffer.from([0xfe, 0x01]);
const KICK = 0xff;
/** Length of a kick's header: its letter, and the number of UTF-16 units of its text. */
const HEADER_BYTES = 3;
/** Longest accepted text, UTF-16 units. The protocol's own limit is 256. */
const MAX_UNITS = 1024;

/**
 * First field of the format since 1.4, followed by protocol, version, name, players and slots, separated by
 * zeros.
 */
const NEW_FORM = '§1';
const NEW_FIELDS = 6;
const WHOLE_NUMBER = /^\d{1,9}$/;

class MinecraftLegacyExchange implements StreamExchange {
  #bytes: Buffer = Buffer.alloc(0);

  request(): Buffer[] {
    return [PING];
  }

  receive(chunk: Buffer): Step {
    // At most 2 KiB are collected, so joining is cheap however small the chunks are.
    this.#bytes = Buffer.concat([this.#bytes, chunk]);
    return strictly(() => read(this.#bytes));
  }

  partial(): RawStatus | undefined {
    return undefined;
  }
}

function read(bytes: Buffer): Step {
  if (bytes.length > 0 && bytes[0] !== KICK)
    throw new MalformedReply('no kick, which is how a ping is answered');
  if (bytes.length < HEADER_BYTES) return MORE;
  const units = bytes.readUInt16BE(1);
  if (units > MAX_UNITS) throw new MalformedReply(`a text of ${units} units`);
  const text = bytes.subarray(HEADER_BYTES, HEADER_BYTES + 2 * units);
  if (text.length < 2 * units) return MORE;
  return { kind: 'done', status: readStatus(Buffer.from(text).swap16().toString('utf16le')) };
}

function readStatus(text: string): RawStatus {
  const fields = text.split('\0');
  if (fields[0] === NEW_FORM) {
    const [, , version, name, players, places] = fields;
    if (fields.length !== NEW_FIELDS) throw new MalformedReply(`${fields.length} fields`);
    return { name: name ?? '', version: version ?? '', players: count(players), maxplayers: count(places) };
  }
  // The separator may occur in the name, but not in the numbers after it.
  const parts = text.split('§');
  const places = count(parts.pop());
  const players = count(parts.pop());
  if (parts.length === 0) throw new MalformedReply('no name before the numbers');
  return { name: parts.join('§'), players, maxplayers: places };
}

/** Reads a count. Other kicks, such as "Outdated client!", contain no numbers. */
function count(text: string | undefined): number {
  if (text === undefined || !WHOLE_NUMBER.test(text)) {
    throw new MalformedReply(`no number: ${JSON.stringify(text?.slice(0, 40))}`);
  }
  return Number(text);
}

/**
 * The protocol of Minecraft Java from Beta 1.8 to 1.6, which drop connections that begin like a newer
 * client's.
 */
export const minecraftLegacy: StreamProtocol = {
  transport: 'tcp',
  colours: 'section',
  open: () => new MinecraftLegacyExchange(),
};
