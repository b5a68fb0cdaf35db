// The server browser protocol of Teeworlds. Source: src/engine/client/serverbrowser.cpp of
// https://github.com/ddnet/ddnet. In Teeworlds 0.7, client and server first exchange tokens. Source:
// src/engine/shared/network_token.cpp of https://github.com/teeworlds/teeworlds

import type { CountedStatus, RawPlayer, RawStatus } from '../answers/raw-status.ts';
import { ByteReader } from './byte-reader.ts';
import {
  type DatagramExchange,
  MalformedReply,
  MORE,
  type Protocol,
  type Step,
  strictly,
} from './protocol.ts';
import {
  decimal,
  parseExtended,
  parseExtendedMore,
  parseSeven,
  parseVanilla,
  readPacked,
} from './teeworlds-info.ts';

const GETINFO = '\xff\xff\xff\xffgie3';
const INFO = '\xff\xff\xff\xffinf3';
const INFO_EXTENDED = '\xff\xff\xff\xffiext';
const INFO_EXTENDED_MORE = '\xff\xff\xff\xffiex+';
const MAGIC_BYTES = INFO.length;

/**
 * First bytes of a Teeworlds 0.6 query or reply. Teeworlds sends six 0xff bytes (`CONNLESS`). DDNet sends `xe`
 * (`CONNLESS_EXTENDED`), two bytes of gsq's token and two zero bytes.
 */
const CONNLESS = Buffer.alloc(6, 0xff);
const CONNLESS_EXTENDED = Buffer.from('xe');
const HEADER_BYTES = 6;

/**
 * First byte of a Teeworlds 0.7 message outside a game connection: flags and version. The tokens of receiver and sender
 * follow.
 */
const CONNLESS_SEVEN = 0x21;
const HEADER_BYTES_SEVEN = 1 + 4 + 4;
/**
 * First bytes of a Teeworlds 0.7 control message: the flags and two connection numbers. After these bytes come the
 * token of the receiver (4 bytes) and the command (1 byte).
 */
const CONTROL_SEVEN = Buffer.from([0x04, 0, 0]);
const CONTROL_HEADER_BYTES = 3 + 4;
const TOKEN_MESSAGE = 5;
const NO_TOKEN = Buffer.alloc(4, 0xff);
/**
 * Required length of the data in a Teeworlds 0.7 token request, bytes. The request is this long so that attackers
 * cannot use servers as traffic amplifiers.
 */
const TOKEN_REQUEST_BYTES = 512;

const MAX_PARTS = 64;

class TeeworldsExchange implements DatagramExchange {
  /**
   * gsq's token for Teeworlds 0.6, a random number of 24 bits. DDNet servers repeat the whole token in the reply. All
   * other servers repeat only its low byte.
   */
  readonly #token: number;
  /** Random token that identifies gsq in the messages of Teeworlds 0.7. */
  readonly #ownToken: Buffer;
  #serverToken: Buffer | undefined;
  /** The status from the first info packet of a DDNet server. Undefined until that packet arrives. */
  #info: CountedStatus | undefined;
  /** The players of all info packets of a DDNet server, keyed by packet number. */
  readonly #parts = new Map<number, RawPlayer[]>();

  constructor(nonce: bigint) {
    this.#token = Number(nonce & 0xffffffn);
    this.#ownToken = Buffer.alloc(4);
    // Clears the highest bit of gsq's token. A token with all bits set would mean "no token" in Teeworlds 0.7.
    this.#ownToken.writeUInt32BE(Number((nonce >> 32n) & 0x7fffffffn));
  }

  get challenged(): boolean {
    return this.#serverToken !== undefined;
  }

  request(): Buffer[] {
    // Sends the requests of Teeworlds 0.6 and 0.7, because the version of the server is unknown. DDNet servers answer
    // both requests.
    return [this.#askSix(), this.#askToken()];
  }

  receive(datagram: Buffer): Step {
    const step = strictly(() => {
      if (datagram[0] === CONTROL_SEVEN[0]) return this.#readToken(datagram);
      if (datagram[0] === CONNLESS_SEVEN) return this.#readSeven(datagram);
      return this.#readSix(datagram);
    });
    // If a packet with players is malformed, gsq reports the status without the player list.
    if (step.kind === 'malformed' && this.#info) return { kind: 'done', status: this.#info };
    return step;
  }

  partial(): RawStatus | undefined {
    return this.#info && { ...this.#info, playerList: [...this.#parts.values()].flat() };
  }

  #askSix(): Buffer {
    const upper = Buffer.from([(this.#token >> 16) & 0xff, (this.#token >> 8) & 0xff, 0, 0]);
    return Buffer.concat([
      CONNLESS_EXTENDED,
      upper,
      Buffer.from(GETINFO, 'latin1'),
      Buffer.from([this.#token & 0xff]),
    ]);
  }

  #askToken(): Buffer {
    const padded = Buffer.alloc(TOKEN_REQUEST_BYTES);
    this.#ownToken.copy(padded);
    return Buffer.concat([CONTROL_SEVEN, NO_TOKEN, Buffer.from([TOKEN_MESSAGE]), padded]);
  }

  #askSeven(serverToken: Buffer): Buffer {
    const header = Buffer.concat([Buffer.from([CONNLESS_SEVEN]), serverToken, this.#ownToken]);
    // The Teeworlds 0.7 info request ends with a number that the reply repeats. The number is at most 63, so that it is
    // encoded as a single byte.
    return Buffer.concat([header, Buffer.from(GETINFO, 'latin1'), Buffer.from([this.#token & 0x3f])]);
  }

  #readToken(datagram: Buffer): Step {
    const at = CONTROL_HEADER_BYTES + 1;
    if (datagram.length < at + 4) throw new MalformedReply('cut short: no token');
    const isOurs = datagram.subarray(3, CONTROL_HEADER_BYTES).equals(this.#ownToken);
    if (!isOurs || datagram[CONTROL_HEADER_BYTES] !== TOKEN_MESSAGE) return MORE;
    // Ignores a token of the server if it is not the first one, or if the server has already sent its info.
    if (this.#serverToken || this.#info) return MORE;
    this.#serverToken = Buffer.from(datagram.subarray(at, at + 4));
    return { kind: 'send', packets: [this.#askSeven(this.#serverToken)] };
  }

  #readSeven(datagram: Buffer): Step {
    if (datagram.length < HEADER_BYTES_SEVEN + MAGIC_BYTES) throw new MalformedReply('cut short: no info');
    if (!datagram.subarray(1, 5).equals(this.#ownToken)) return MORE;
    if (magicAt(datagram, HEADER_BYTES_SEVEN) !== INFO) return MORE;
    const reader = new ByteReader(datagram, HEADER_BYTES_SEVEN + MAGIC_BYTES);
    if (readPacked(reader) !== (this.#token & 0x3f)) return MORE;
    return { kind: 'done', status: parseSeven(reader) };
  }

  #readSix(datagram: Buffer): Step {
    if (!startsWith(datagram, CONNLESS) && !startsWith(datagram, CONNLESS_EXTENDED))
      throw new MalformedReply('no message outside of a connection');
    if (datagram.length < HEADER_BYTES + MAGIC_BYTES) throw new MalformedReply('cut short: no info');
    const magic = magicAt(datagram, HEADER_BYTES);
    const reader = new ByteReader(datagram, HEADER_BYTES + MAGIC_BYTES);
    if (magic === INFO) {
      if (decimal(reader) !== (this.#token & 0xff)) return MORE;
      return { kind: 'done', status: parseVanilla(reader) };
    }
    if (magic !== INFO_EXTENDED && magic !== INFO_EXTENDED_MORE) return MORE;
    if (decimal(reader) !== this.#token) return MORE;
    return magic === INFO_EXTENDED ? this.#readFirst(reader) : this.#readFurther(reader);
  }

  #readFirst(reader: ByteReader): Step {
    const { status, players } = parseExtended(reader);
    if (players.length > status.players)
      throw new MalformedReply(`${players.length} clients in place of ${status.players}`);
    this.#info = status;
    // Ends the query if the first info packet contains no players. A server sends such a packet if it has received too
    // many requests, and then sends no other packets.
    if (players.length === 0) return { kind: 'done', status };
    return this.#take(0, players);
  }

  #readFurther(reader: ByteReader): Step {
    const { number, players } = parseExtendedMore(reader);
    if (number < 1 || number >= MAX_PARTS) throw new MalformedReply(`part ${number} of the info`);
    return this.#take(number, players);
  }

  #take(number: number, players: RawPlayer[]): Step {
    this.#parts.set(number, players);
    if (!this.#info) return MORE;
    let count = 0;
    for (const part of this.#parts.values()) count += part.length;
    if (count < this.#info.players) return MORE;
    if (count > this.#info.players)
      throw new MalformedReply(`${count} clients in place of ${this.#info.players}`);
    const ordered = [...this.#parts].sort(([a], [b]) => a - b).flatMap(([, part]) => part);
    return { kind: 'done', status: { ...this.#info, playerList: ordered } };
  }
}

function startsWith(bytes: Buffer, start: Buffer): boolean {
  return bytes.subarray(0, start.length).equals(start);
}

function magicAt(datagram: Buffer, at: number): string {
  return datagram.toString('latin1', at, at + MAGIC_BYTES);
}

/** The protocol of Teeworlds 0.6 and 0.7, DDNet and derived games. */
export const teeworlds: Protocol = {
  transport: 'udp',
  colours: 'none',
  open: context => new TeeworldsExchange(BigInt.asUintN(64, context.nonce)),
};
