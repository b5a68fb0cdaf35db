// The server list ping of Minecraft Java before 1.7.
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
 * 1.4 to 1.5 want both bytes, Beta 1.8 to 1.3 read the first, and 1.6 answers after having waited for more, which
 * those before 1.4 would not bear.
 */
const PING = Buffer.from([0xfe, 0x01]);
const KICK = 0xff;
/** Its letter, and the number of UTF-16 units of its text. */
const HEADER_BYTES = 3;
/** The protocol's own texts end at 256. */
const MAX_UNITS = 1024;

/** Since 1.4: this, protocol, version, name, players and places, each but the last ended by a zero. */
const NEW_FORM = '§1';
const NEW_FIELDS = 6;
const WHOLE_NUMBER = /^\d{1,9}$/;

class MinecraftLegacyExchange implements StreamExchange {
  #bytes: Buffer = Buffer.alloc(0);

  request(): Buffer[] {
    return [PING];
  }

  receive(chunk: Buffer): Step {
    // At most some 2 KiB, so joining is cheap however small the chunks are.
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
  // The name may hold the sign that divides; the numbers behind it cannot.
  const parts = text.split('§');
  const places = count(parts.pop());
  const players = count(parts.pop());
  if (parts.length === 0) throw new MalformedReply('no name before the numbers');
  return { name: parts.join('§'), players, maxplayers: places };
}

/** Other kicks, such as "Outdated client!", have no numbers. */
function count(text: string | undefined): number {
  if (text === undefined || !WHOLE_NUMBER.test(text)) {
    throw new MalformedReply(`no number: ${JSON.stringify(text?.slice(0, 40))}`);
  }
  return Number(text);
}

/** Minecraft Java from Beta 1.8 to 1.6, which drop a connection that begins like a newer one's. */
export const minecraftLegacy: StreamProtocol = {
  transport: 'tcp',
  colours: 'section',
  open: () => new MinecraftLegacyExchange(),
};
