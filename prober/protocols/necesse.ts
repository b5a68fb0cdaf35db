// The status query of Necesse. Source: `Query47` of src/lgsl_protocol.php in https://github.com/tltneon/lgsl.

// Source for the request number, the password flag and the version length: the classes `PacketServerStatusRequest` and
// `PacketServerStatus` of the game Necesse, versions 0.24.2 and 1.0.1.

import { ByteReader } from './byte-reader.ts';
import { PingExchange } from './ping-exchange.ts';
import { MalformedReply, MORE, type Protocol, type Step } from './protocol.ts';

/** Message type of the status reply of a Necesse server. */
const STATUS = 0;
const STATUS_REQUEST = 1;
/** First byte of a message that is sent in one packet. */
const WHOLE = 0;
/** Maximum size of a Necesse packet, bytes. */
const MAX_BYTES = 1024;
/** Maximum length of a version, UTF-16 units. Real versions have five to seven characters. */
const MAX_VERSION_UNITS = 64;
/**
 * Length of the game settings after the version, bytes. gsq skips the settings: difficulty, death penalty, raids, and
 * the lengths of day and night. Later versions of the game append more settings.
 */
const SETTINGS_BYTES = 1 + 1 + 1 + 4 + 4;

function read(datagram: Buffer, number: number): Step {
  if (datagram.length > MAX_BYTES) throw new MalformedReply(`${datagram.length} bytes`);
  const reader = new ByteReader(datagram);
  const form = reader.u8();
  const message = reader.u16be();
  if (form !== WHOLE || message !== STATUS) throw new MalformedReply(`message ${message} of form ${form}`);
  // Ignores late replies to an earlier request, and forged replies: they do not repeat the random number of this
  // request.
  if (reader.u32be() !== number) return MORE;
  reader.skip(8); // unused field: id of the world
  const players = reader.u8();
  const maxplayers = reader.u8();
  const password = (reader.u8() & 1) !== 0; // Reads only the password bit. The other bits are game settings.
  reader.skip(4); // unused field: checksum of the mods
  const version = readVersion(reader);
  reader.skip(SETTINGS_BYTES);
  return { kind: 'done', status: { name: '', players, maxplayers, password, version } };
}

/** Reads the game version from a reply: its length in UTF-16 units, then its UTF-16 text. */
function readVersion(reader: ByteReader): string {
  const units = reader.u16be();
  if (units > MAX_VERSION_UNITS) throw new MalformedReply(`a version of ${units} characters`);
  return Buffer.from(reader.bytes(2 * units))
    .swap16()
    .toString('utf16le');
}

/** The protocol of Necesse. A server has no name: each player gives it a name in the player's own server list. */
export const necesse: Protocol = {
  transport: 'udp',
  colours: 'none',
  open: ({ nonce }) => {
    const number = Number(BigInt.asUintN(32, nonce));
    const question = Buffer.alloc(9);
    question.writeUInt16BE(STATUS_REQUEST, 1);
    // Leaves the bytes 3 and 4 of the request at zero. They are the port to which the server replies. Zero means the
    // sender's port.
    question.writeUInt32BE(number, 5);
    return new PingExchange(question, datagram => read(datagram, number));
  },
};
