// The ping of Mumble, a voice server. Sources: https://wiki.mumble.info/wiki/Protocol and Non-RPC/mumble-ping.py of
// https://github.com/mumble-voip/mumble-scripts

import { PingExchange } from './ping-exchange.ts';
import { MalformedReply, MORE, type Protocol, type Step } from './protocol.ts';

// Offset of gsq's random number in the request and in the reply. Four bytes precede it: zeros in the request, the
// version in the reply. All numbers are big-endian.
const AT_NUMBER = 4;
const REQUEST_BYTES = AT_NUMBER + 8;
// Offset of the number of users in the reply. Before it are the version and gsq's random number. After it are the
// maximum number of users and the bandwidth limit of a user.
const AT_USERS = REQUEST_BYTES;
const AT_PLACES = AT_USERS + 4;
const REPLY_BYTES = AT_PLACES + 4 + 4;

function read(datagram: Buffer, nonce: bigint): Step {
  if (datagram.length !== REPLY_BYTES)
    throw new MalformedReply(`${datagram.length} bytes, a ping's reply has ${REPLY_BYTES}`);
  // Ignores late replies to an earlier ping, and forged replies: they do not repeat the random number of this ping.
  if (datagram.readBigUInt64BE(AT_NUMBER) !== nonce) return MORE;
  return {
    kind: 'done',
    status: {
      name: '', // The reply to a ping contains no name.
      version: `${datagram.readUInt16BE(0)}.${datagram.readUInt8(2)}.${datagram.readUInt8(3)}`,
      players: datagram.readUInt32BE(AT_USERS),
      maxplayers: datagram.readUInt32BE(AT_PLACES),
    },
  };
}

/** The ping protocol of Mumble's own server and of compatible servers. */
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
