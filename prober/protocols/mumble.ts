// Mumble's ping: https://wiki.mumble.info/wiki/Protocol and Non-RPC/mumble-ping.py of
// https://github.com/mumble-voip/mumble-scripts

import { PingExchange } from './ping-exchange.ts';
import { MalformedReply, MORE, type Protocol, type Step } from './protocol.ts';

// Request: a zero where the reply has the version, our number. Everything is big-endian.
const AT_NUMBER = 4;
const REQUEST_BYTES = AT_NUMBER + 8;
// Reply: version, our number, users, places, bits a second each user may send.
const AT_USERS = REQUEST_BYTES;
const AT_PLACES = AT_USERS + 4;
const REPLY_BYTES = AT_PLACES + 4 + 4;

function read(datagram: Buffer, nonce: bigint): Step {
  if (datagram.length !== REPLY_BYTES)
    throw new MalformedReply(`${datagram.length} bytes, a ping's reply has ${REPLY_BYTES}`);
  // Not an answer to this ping: an earlier one's, or a stranger's guess.
  if (datagram.readBigUInt64BE(AT_NUMBER) !== nonce) return MORE;
  return {
    kind: 'done',
    status: {
      name: '', // a ping tells none
      version: `${datagram.readUInt16BE(0)}.${datagram.readUInt8(2)}.${datagram.readUInt8(3)}`,
      players: datagram.readUInt32BE(AT_USERS),
      maxplayers: datagram.readUInt32BE(AT_PLACES),
    },
  };
}

/** Mumble's own server and those that answer like it. */
export const mumble: Protocol = {
  transport: 'udp',
  colours: 'none',
  open: context => {
    const nonce = BigInt.asUintN(64, context.nonce);
    const ping = Buffer.alloc(REQUEST_BYTES);
    ping.writeBigUInt64BE(nonce, AT_NUMBER);
    return new PingExchange(ping, datagram => read(datagram, nonce));
  },
};
