// Necesse's server status: `Query47` of src/lgsl_protocol.php in https://github.com/tltneon/lgsl. What LGSL passes over
// (the number of the question, the password, how long the version is) is named after the fields of the game's own
// `PacketServerStatusRequest` and `PacketServerStatus`, which are the same in its versions 0.24.2 and 1.0.1.

import { ByteReader } from './byte-reader.ts';
import { PingExchange } from './ping-exchange.ts';
import { MalformedReply, MORE, type Protocol, type Step } from './protocol.ts';

/** Numbers of messages; everything is big-endian. */
const STATUS = 0;
const STATUS_REQUEST = 1;
/** The first byte of a message that comes in one packet. */
const WHOLE = 0;
/** The game's packets are no longer. */
const MAX_BYTES = 1024;
/** Far more than a version takes: they have five to seven characters. */
const MAX_VERSION_UNITS = 64;
/** Difficulty, death penalty, raids, length of day and night. Versions since then put more behind. */
const SETTINGS_BYTES = 1 + 1 + 1 + 4 + 4;

function read(datagram: Buffer, number: number): Step {
  if (datagram.length > MAX_BYTES) throw new MalformedReply(`${datagram.length} bytes`);
  const reader = new ByteReader(datagram);
  const form = reader.u8();
  const message = reader.u16be();
  if (form !== WHOLE || message !== STATUS) throw new MalformedReply(`message ${message} of form ${form}`);
  // Not an answer to this question: an earlier one's, or a stranger's guess.
  if (reader.u32be() !== number) return MORE;
  reader.skip(8); // the number of the world
  const players = reader.u8();
  const maxplayers = reader.u8();
  const password = (reader.u8() & 1) !== 0; // the other bits are settings
  reader.skip(4); // checksum of the mods
  const version = readVersion(reader);
  reader.skip(SETTINGS_BYTES);
  return { kind: 'done', status: { name: '', players, maxplayers, password, version } };
}

/** UTF-16 with its length in units. LGSL takes six bytes more than the length, which is right for six characters. */
function readVersion(reader: ByteReader): string {
  const units = reader.u16be();
  if (units > MAX_VERSION_UNITS) throw new MalformedReply(`a version of ${units} characters`);
  return Buffer.from(reader.bytes(2 * units))
    .swap16()
    .toString('utf16le');
}

/** Necesse. A server has no name: players give it one in their own list. */
export const necesse: Protocol = {
  transport: 'udp',
  colours: 'none',
  open: ({ nonce }) => {
    const number = Number(BigInt.asUintN(32, nonce));
    const question = Buffer.alloc(9);
    question.writeUInt16BE(STATUS_REQUEST, 1);
    // The two bytes in between: the port to answer to, 0 for the one that asks.
    question.writeUInt32BE(number, 5);
    return new PingExchange(question, datagram => read(datagram, number));
  },
};
