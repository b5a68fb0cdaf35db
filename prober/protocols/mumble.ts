// Mumble's ping: https://wiki.mumble.info/wiki/Protocol and Non-RPC/mumble-ping.py of
// https://github.com/mumble-voip/mumble-scripts

import {
  type DatagramExchange,
  type ExchangeContext,
  MalformedReply,
  MORE,
  type Protocol,
  type RawStatus,
  type Step,
  strictly,
} from './protocol.ts';

/** An unanswered question and its repetition. */
const MAX_PACKETS = 2;

// Request: a zero where the reply has the version, our number. Everything is big-endian.
const AT_NUMBER = 4;
const REQUEST_BYTES = AT_NUMBER + 8;
// Reply: version, our number, users, places, bits a second each user may send.
const AT_USERS = REQUEST_BYTES;
const AT_PLACES = AT_USERS + 4;
const REPLY_BYTES = AT_PLACES + 4 + 4;

class MumbleExchange implements DatagramExchange {
  readonly #nonce: bigint;
  #sent = 0;

  constructor(context: ExchangeContext) {
    this.#nonce = BigInt.asUintN(64, context.nonce);
  }

  request(): Buffer[] {
    if (this.#sent === MAX_PACKETS) return [];
    this.#sent++;
    const ping = Buffer.alloc(REQUEST_BYTES);
    ping.writeBigUInt64BE(this.#nonce, AT_NUMBER);
    return [ping];
  }

  receive(datagram: Buffer): Step {
    return strictly(() => {
      if (datagram.length !== REPLY_BYTES)
        throw new MalformedReply(`${datagram.length} bytes, a ping's reply has ${REPLY_BYTES}`);
      // Not an answer to this ping: an earlier one's, or a stranger's guess.
      if (datagram.readBigUInt64BE(AT_NUMBER) !== this.#nonce) return MORE;
      return {
        kind: 'done',
        status: {
          name: '', // a ping tells none
          version: `${datagram.readUInt16BE(0)}.${datagram.readUInt8(2)}.${datagram.readUInt8(3)}`,
          players: datagram.readUInt32BE(AT_USERS),
          maxplayers: datagram.readUInt32BE(AT_PLACES),
        },
      };
    });
  }

  partial(): RawStatus | undefined {
    return undefined;
  }
}

/** Mumble's own server and those that answer like it. */
export const mumble: Protocol = {
  transport: 'udp',
  colours: 'none',
  open: context => new MumbleExchange(context),
};
