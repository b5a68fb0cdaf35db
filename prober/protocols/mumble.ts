// Mumble's ping: https://wiki.mumble.info/wiki/Protocol and Non-RPC/mumble-ping.py of
// https://github.com/mumble-voip/mumble-scripts

import { PingExchange } from './ping-exchange.ts';
import { MalformedReply, MORE, type Protocol, type Step } from './protocol.ts';

// Offset of our number in the request, after a zero where the reply has the version. All numbers are
// big-endian.
const AT_NUMBER = 4;
const REQUEST_BYTES = AT_NUMBER + 8;
// Offset of the users in the reply, after version and our number. Slots and the bandwidth of a user follow.
const AT_USERS = REQUEST_BYTES;
const AT_PLACES = AT_USERS + 4;
const REPLY_BYTES = AT_PLACES + 4 + 4;

function read(datagram: Buffer, nonce: bigint): Step {
  if (datagram.length !== REPLY_BYTES)
    throw new MalformedReply(`${datagram.length} bytes, a ping's reply has ${REPLY_BYTES}`);
  // Ignores replies to an earlier ping, and forged ones.
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

/** The protocol of Mumble's own server and of compatible ones. */
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
