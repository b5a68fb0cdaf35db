// The status query ("server list ping") of Minecraft Java Edition before version 1.7:
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
 * The status request: two bytes. Minecraft before 1.4 rejects a longer request. Minecraft 1.6 expects more bytes, but
 * replies to two bytes after a delay.
 */
const PING = Buffer.from([0xfe, 0x01]);
const KICK = 0xff;
/** Length of the header of a reply, bytes: the message type (kick), and the text length in UTF-16 units. */
const HEADER_BYTES = 3;
/** Maximum length of the text in a reply, UTF-16 units. This is four times the limit of the protocol. */
const MAX_UNITS = 1024;

/**
 * First field of a reply since Minecraft 1.4. The fields, separated by zero characters, are: `§1`, protocol number,
 * version, name, players, player slots.
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
    // A reply has at most 2 KiB, so joining the chunks is cheap even if each chunk has only one byte.
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
  // In the format before Minecraft 1.4, `§` separates the fields. The name can contain `§`, but the numbers after the
  // name cannot. Therefore the fields are read from the end.
  const parts = text.split('§');
  const places = count(parts.pop());
  const players = count(parts.pop());
  if (parts.length === 0) throw new MalformedReply('no name before the numbers');
  return { name: parts.join('§'), players, maxplayers: places };
}

/**
 * Parses a count of players or player slots. Throws MalformedReply if the text is not a whole number, because some
 * servers send a text such as "Outdated client!" instead of their status.
 */
function count(text: string | undefined): number {
  if (text === undefined || !WHOLE_NUMBER.test(text)) {
    throw new MalformedReply(`no number: ${JSON.stringify(text?.slice(0, 40))}`);
  }
  return Number(text);
}

/**
 * The protocol of Minecraft Java Edition from Beta 1.8 to 1.6. Servers of these versions close a connection that starts
 * with the request of Minecraft 1.7 or later.
 */
export const minecraftLegacy: StreamProtocol = {
  transport: 'tcp',
  colours: 'section',
  open: () => new MinecraftLegacyExchange(),
};
