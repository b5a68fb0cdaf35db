// Valve's server queries. https://developer.valvesoftware.com/wiki/Server_queries

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
const NO_CHALLENGE = Buffer.from('\xff\xff\xff\xff', 'latin1');

/** Servers count packets against those who ask; what needs more than these is done without. */
const MAX_PACKETS = 3;

const S2A_INFO_SOURCE = 0x49;
const S2A_INFO_GOLDSRC = 0x6d;
const S2A_PLAYER = 0x44;
const S2C_CHALLENGE = 0x41;

class A2sExchange implements DatagramExchange {
  readonly #split = new SplitAssembly();
  #challenge: Buffer | undefined;
  #info: A2sInfo | undefined;
  #sent = 0;

  request(): Buffer[] {
    if (this.#sent === MAX_PACKETS) return [];
    this.#sent++;
    if (this.#info) return [Buffer.concat([PLAYER, this.#challenge ?? NO_CHALLENGE])];
    return [this.#challenge ? Buffer.concat([INFO, this.#challenge]) : INFO];
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

  #read(datagram: Buffer): Step {
    if (datagram.length < 5) throw new MalformedReply(`${datagram.length} bytes are no A2S reply`);
    const header = datagram.readInt32LE(0);
    if (header === -1) return this.#readMessage(datagram);
    if (header !== -2) throw new MalformedReply('neither a whole nor a split A2S reply');
    const whole = this.#split.add(datagram);
    if (!whole) return MORE;
    if (whole.length < 5) throw new MalformedReply('a split reply without content');
    return this.#readMessage(whole);
  }

  #readMessage(message: Buffer): Step {
    const type = message.readUInt8(4);
    const body = message.subarray(5);
    if (type === S2C_CHALLENGE) return this.#readChallenge(body);
    if (this.#info) {
      // Anything else is late or doubled.
      if (type !== S2A_PLAYER) return MORE;
      const playerList = parsePlayers(body, this.#info.appId);
      return { kind: 'done', status: { ...this.#info.status, playerList } };
    }
    if (type === S2A_INFO_SOURCE) return this.#readInfo(parseSourceInfo(body));
    if (type === S2A_INFO_GOLDSRC) return this.#readInfo(parseGoldsrcInfo(body));
    if (type === S2A_PLAYER) return MORE;
    throw new MalformedReply(`an A2S reply of the unknown type ${type}`);
  }

  #readChallenge(body: Buffer): Step {
    if (body.length !== 4) throw new MalformedReply(`a challenge of ${body.length} bytes`);
    this.#challenge = Buffer.from(body);
    const packets = this.request();
    if (packets.length > 0) return { kind: 'send', packets };
    throw new MalformedReply('answers each challenge with another');
  }

  #readInfo(info: A2sInfo): Step {
    this.#info = info;
    this.#split.goldsrc = info.goldsrc;
    if (info.status.players === 0) return { kind: 'done', status: info.status };
    const packets = this.request();
    return packets.length > 0 ? { kind: 'send', packets } : { kind: 'done', status: info.status };
  }
}

/** Source, GoldSrc, The Ship and all who speak their language. */
export const a2s: Protocol = { transport: 'udp', colours: 'none', open: () => new A2sExchange() };
