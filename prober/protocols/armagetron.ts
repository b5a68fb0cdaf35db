// The server info of Armagetron Advanced. Source: `nServerInfo::GetBigServerInfo` in src/network/nServerInfo.cpp and
// `nMessage` in src/network/nNetwork.cpp of https://github.com/ArmagetronAd/armagetronad

import type { RawStatus } from '../answers/raw-status.ts';
import { ByteReader, decodeText } from './byte-reader.ts';
import {
  type DatagramExchange,
  MalformedReply,
  MORE,
  type Protocol,
  type Step,
  strictly,
} from './protocol.ts';

/**
 * Type of the message that contains the full server info. A message consists of type, number, length of the body (in
 * 16-bit words), body and id of the sender.
 */
const BIG_SERVER_INFO = 51;
const QUESTION = Buffer.from('0035000000000011', 'hex');
/**
 * The request for the short server info. gsq sends this request before the request for the full info. Otherwise a
 * server that no player has joined yet would ignore the request for the full info.
 */
const WAKE_UP = Buffer.from('0034000000000011', 'hex');
const HEADER_BYTES = 6;
const SENDER_BYTES = 2;
const MAX_PLAYERS = 255;

const COLOUR = /0x(?:[\da-f]{6}|resett)/gi;

class ArmagetronExchange implements DatagramExchange {
  request(): Buffer[] {
    return [WAKE_UP, QUESTION];
  }

  receive(datagram: Buffer): Step {
    return strictly(() => read(datagram));
  }

  partial(): RawStatus | undefined {
    return undefined;
  }
}

function read(datagram: Buffer): Step {
  const header = new ByteReader(datagram);
  const kind = header.u16be();
  header.skip(2);
  const length = HEADER_BYTES + 2 * header.u16be() + SENDER_BYTES;
  if (length !== datagram.length)
    throw new MalformedReply(`${datagram.length} bytes, announced are ${length}`);
  // Ignores messages that do not contain the full server info, such as the reply to the first request (`WAKE_UP`).
  if (kind !== BIG_SERVER_INFO) return MORE;
  const body = new ByteReader(datagram.subarray(HEADER_BYTES, length - SENDER_BYTES));
  return { kind: 'done', status: parseInfo(body) };
}

function parseInfo(body: ByteReader): RawStatus {
  const port = number(body);
  text(body); // unused field: host name for players, perhaps empty
  const name = text(body);
  const players = number(body);
  if (players > MAX_PLAYERS) throw new MalformedReply(`${players} players`);
  body.skip(2 * 4); // unused fields: lowest and highest protocol version of the server
  const version = text(body);
  const maxplayers = number(body);
  const names = text(body).split('\n').slice(0, -1);
  const status: RawStatus = { name, players, maxplayers, version };
  // Ignores the remaining fields of the reply, because they contain only descriptions and game rules.
  if (port > 0 && port <= 0xffff) status.connectPort = port;
  status.playerList = names.slice(0, MAX_PLAYERS).map(listed => ({ name: listed }));
  return status;
}

/** Reads a 32-bit number that is sent as two 16-bit words, the low word first. */
function number(body: ByteReader): number {
  const low = body.u16be();
  return low + body.u16be() * 0x10000;
}

/**
 * Reads a string: its length with the final zero byte, and then its characters. Each 16-bit word contains two
 * characters, the second one first.
 */
function text(body: ByteReader): string {
  const length = body.u16be();
  const bytes = Buffer.from(body.bytes(length + (length & 1))).swap16();
  const end = bytes.indexOf(0);
  return decodeText(end < 0 ? bytes : bytes.subarray(0, end)).replace(COLOUR, '');
}

/** The protocol of Armagetron Advanced. */
export const armagetron: Protocol = {
  transport: 'udp',
  colours: 'none',
  open: () => new ArmagetronExchange(),
};
