// Necesse's server status: `Query47` of src/lgsl_protocol.php in https://github.com/tltneon/lgsl. Fields that
// LGSL skips (the question's number, the password, the version's length) are named after the game's
// `PacketServerStatusRequest` and `PacketServerStatus`, which are the same in versions 0.24.2 and 1.0.1.

import { ByteReader } from './byte-reader.ts';
import { PingExchange } from './ping-exchange.ts';
import { MalformedReply, MORE, type Protocol, type Step } from './protocol.ts';

/** Message types. All numbers are big-endian. */
const STATUS = 0;
const STATUS_REQUEST = 1;
/** First byte of a message that fits into one packet. */
const WHOLE = 0;
/** Longest packet of the game, bytes. */
const MAX_BYTES = 1024;
/** Longest accepted version; real ones have five to seven characters. */
const MAX_VERSION_UNITS = 64;
/**
 * Length of difficulty, death penalty, raids, and the lengths of day and night. Later versions append more.
 */
const SETTINGS_BYTES = 1 + 1 + 1 + 4 + 4;

function read(datagram: Buffer, number: number): Step {
  if (datagram.length > MAX_BYTES) throw new MalformedReply(`${datagram.length} bytes`);
  const reader = new ByteReader(datagram);
  const form = reader.u8();
  const message = reader.u16be();
  if (form !== WHOLE || message !== STATUS) throw new MalformedReply(`message ${message} of form ${form}`);
  // Ignores replies to an earlier question, and forged ones.
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

/** Reads the version as UTF-16 after its length in units. LGSL assumes six characters here. */
function readVersion(reader: ByteReader): string {
  const units = reader.u16be();
  if (units > MAX_VERSION_UNITS) throw new MalformedReply(`a version of ${units} characters`);
  return Buffer.from(reader.bytes(2 * units))
    .swap16()
    .toString('utf16le');
}

/** The protocol of Necesse. A server has no name; players name it in their own list. */
export const necesse: Protocol = {
  transport: 'udp',
  colours: 'none',
  open: ({ nonce }) => {
    const number = Number(BigInt.asUintN(32, nonce));
    const question = Buffer.alloc(9);
    question.writeUInt16BE(STATUS_REQUEST, 1);
    // The two bytes in between hold the port to answer to; 0 means the sender's port.
    question.writeUInt32BE(number, 5);
    return new PingExchange(question, datagram => read(datagram, number));
  },
};
