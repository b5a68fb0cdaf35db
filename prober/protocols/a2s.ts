// Valve's server queries. https://developer.valvesoftware.com/wiki/Server_queries
// Before Steam, GoldSrc was asked in words: https://twhl.info/wiki/page/VERC%3A_Half-Life_Server_Protocol

import { type A2sInfo, parseGoldsrcInfo, parseSourceInfo } from './a2s-info.ts';
import { parsePlayers } from './a2s-players.ts';
import { SplitAssembly } from './a2s-split.ts';
import {
  type DatagramExchange,
  MalformedReply,
  MORE,
  type Protocol,
  type RawStatus,
  type Step,
  strictly,
} from './protocol.ts';

/** The plain 25 bytes: padded ones, as newer clients send, trip filters. */
const INFO = Buffer.from('\xff\xff\xff\xffTSource Engine Query\0', 'latin1');
const PLAYER = Buffer.from('\xff\xff\xff\xffU', 'latin1');
const DETAILS = Buffer.from('\xff\xff\xff\xffdetails\0', 'latin1');
const PLAYERS = Buffer.from('\xff\xff\xff\xffplayers\0', 'latin1');

/** Asks for a challenge, where a question cannot go without one. */
const NO_CHALLENGE = 0xffffffff;

/** Servers count packets against those who ask; what needs more than these is done without. */
const MAX_PACKETS = 3;

const WHOLE = -1;
const SPLIT = -2;
const HEADER_BYTES = 5;

const S2A_INFO_SOURCE = 0x49;
const S2A_INFO_GOLDSRC = 0x6d;
const S2A_PLAYER = 0x44;
const S2C_CHALLENGE = 0x41;

class A2sExchange implements DatagramExchange {
  readonly #inWords: boolean;
  #split: SplitAssembly | undefined;
  #challenge: number | undefined;
  #challenged = false;
  #info: A2sInfo | undefined;
  #sent = 0;

  constructor(inWords: boolean, challenge?: number) {
    this.#inWords = inWords;
    this.#challenge = challenge;
  }

  /** The server has demanded a challenge so far. */
  get challenged(): boolean {
    return this.#challenged;
  }

  get challenge(): number | undefined {
    return this.#challenge;
  }

  request(): Buffer[] {
    if (this.#sent === MAX_PACKETS) return [];
    this.#sent++;
    // The answer comes in parts of its own, and of an engine that may be known by now.
    this.#split = undefined;
    return [this.#info ? this.#playerQuestion() : this.#infoQuestion()];
  }

  receive(datagram: Buffer): Step {
    const step = strictly(() => this.#read(datagram));
    // The status stands on its own; whatever comes instead of the player list only costs the list.
    if (step.kind === 'malformed' && this.#info) return { kind: 'done', status: this.#info.status };
    return step;
  }

  partial(): RawStatus | undefined {
    return this.#info?.status;
  }

  #infoQuestion(): Buffer {
    if (this.#inWords) return DETAILS;
    return this.#challenge === undefined ? INFO : withChallenge(INFO, this.#challenge);
  }

  #playerQuestion(): Buffer {
    return this.#inWords ? PLAYERS : withChallenge(PLAYER, this.#challenge ?? NO_CHALLENGE);
  }

  #read(datagram: Buffer): Step {
    if (datagram.length < HEADER_BYTES) throw new MalformedReply(`${datagram.length} bytes are no A2S reply`);
    const header = frameOf(datagram);
    if (header === WHOLE) return this.#readMessage(datagram);
    if (header !== SPLIT) throw new MalformedReply('neither a whole nor a split A2S reply');
    this.#split ??= new SplitAssembly(this.#info?.goldsrc);
    const whole = this.#split.add(datagram);
    if (!whole) return MORE;
    if (whole.length < HEADER_BYTES || frameOf(whole) !== WHOLE) {
      throw new MalformedReply('a split reply without content');
    }
    return this.#readMessage(whole);
  }

  #readMessage(message: Buffer): Step {
    const type = message[4];
    if (type === S2C_CHALLENGE) return this.#readChallenge(message);
    if (this.#info) {
      // Anything else is late or doubled.
      if (type !== S2A_PLAYER) return MORE;
      this.#info.status.playerList = parsePlayers(message, this.#info.appId);
      return { kind: 'done', status: this.#info.status };
    }
    if (type === S2A_INFO_SOURCE) return this.#readInfo(parseSourceInfo(message));
    if (type === S2A_INFO_GOLDSRC) return this.#readInfo(parseGoldsrcInfo(message));
    if (type === S2A_PLAYER) return MORE;
    throw new MalformedReply(`an A2S reply of the unknown type ${type}`);
  }

  #readChallenge(message: Buffer): Step {
    if (message.length !== HEADER_BYTES + 4)
      throw new MalformedReply(`a challenge in ${message.length} bytes`);
    this.#challenge = message.readUInt32LE(HEADER_BYTES);
    this.#challenged = true;
    const packets = this.request();
    if (packets.length > 0) return { kind: 'send', packets };
    throw new MalformedReply('answers each challenge with another');
  }

  #readInfo(info: A2sInfo): Step {
    this.#info = info;
    if (info.status.players === 0) return { kind: 'done', status: info.status };
    const packets = this.request();
    return packets.length > 0 ? { kind: 'send', packets } : { kind: 'done', status: info.status };
  }
}

/** The first four bytes, little-endian; by the byte, since a method of Buffer takes longer. */
function frameOf(datagram: Buffer): number {
  return (
    (datagram[0] as number) |
    ((datagram[1] as number) << 8) |
    ((datagram[2] as number) << 16) |
    ((datagram[3] as number) << 24)
  );
}

function withChallenge(question: Buffer, challenge: number): Buffer {
  const { length } = question;
  const packet = Buffer.allocUnsafe(length + 4);
  for (let i = 0; i < length; i++) packet[i] = question[i] as number;
  for (let i = 0; i < 4; i++) packet[length + i] = challenge >>> (8 * i);
  return packet;
}

/** Source, GoldSrc, The Ship and all who speak their language. */
export const a2s: Protocol = {
  transport: 'udp',
  colours: 'none',
  open: ({ challenge }) => new A2sExchange(false, challenge),
};

/** GoldSrc before Steam, which knows the questions in words only. */
export const goldsrc: Protocol = { transport: 'udp', colours: 'none', open: () => new A2sExchange(true) };
