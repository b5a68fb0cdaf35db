import { encodeVarint32, readVarint32 } from '../../runtime/varint.ts';
import type { FakeState } from './fake-server.ts';

// The Server List Ping protocol of Minecraft: https://minecraft.wiki/w/Java_Edition_protocol/Server_List_Ping
const MAX_PACKET = 512;
const MAX_SAMPLE = 12;

function packet(id: number, body: Buffer): Buffer {
  return Buffer.concat([encodeVarint32(body.length + 1), Buffer.from([id]), body]);
}

function statusReply(state: FakeState): Buffer {
  const json = JSON.stringify({
    version: { name: state.version, protocol: 773 },
    players: {
      max: state.maxplayers,
      online: state.players.length,
      sample: state.players.slice(0, MAX_SAMPLE).map(({ name }, index) => ({
        name,
        id: `00000000-0000-4000-8000-${index.toString(16).padStart(12, '0')}`,
      })),
    },
    description: { text: state.name },
  });
  const text = Buffer.from(json, 'utf8');
  return packet(0, Buffer.concat([encodeVarint32(text.length), text]));
}

/**
 * Answers the packets that a client sends on one connection to query the status: a handshake, a status request, and
 * perhaps a ping.
 */
export class MinecraftResponder {
  readonly #state: FakeState;
  #received: Buffer = Buffer.alloc(0);
  #greeted = false;

  constructor(state: FakeState) {
    this.#state = state;
  }

  /**
   * Handles received bytes and returns the reply bytes. Throws RangeError if the client sends anything other than a
   * handshake, a status request or a ping.
   */
  receive(bytes: Buffer): Buffer {
    this.#received = Buffer.concat([this.#received, bytes]);
    const replies: Buffer[] = [];
    for (let body = this.#nextPacket(); body; body = this.#nextPacket()) replies.push(this.#answer(body));
    return Buffer.concat(replies);
  }

  #nextPacket(): Buffer | undefined {
    const length = readVarint32(this.#received, 0);
    if (!length) return undefined;
    if (length.value < 1 || length.value > MAX_PACKET) throw new RangeError('a packet of a strange length');
    const end = length.next + length.value;
    if (this.#received.length < end) return undefined;
    const body = this.#received.subarray(length.next, end);
    this.#received = this.#received.subarray(end);
    return body;
  }

  #answer(body: Buffer): Buffer {
    if (!this.#greeted) {
      // The last byte of a Minecraft handshake is the state that the client requests. Only state 1 (status) is
      // accepted.
      if (body[0] !== 0 || body.at(-1) !== 1) throw new RangeError('no handshake for status');
      this.#greeted = true;
      return Buffer.alloc(0);
    }
    if (body[0] === 0) return statusReply(this.#state);
    if (body[0] === 1 && body.length === 9) return packet(1, body.subarray(1));
    throw new RangeError('a packet that no status client sends');
  }
}
