// Valve's server queries (A2S). The old GoldSrc engine without Steam has different requests: words such as `details`.
// Sources: https://developer.valvesoftware.com/wiki/Server_queries and
// https://twhl.info/wiki/page/VERC%3A_Half-Life_Server_Protocol

import type { RawStatus } from '../answers/raw-status.ts';
import { type A2sInfo, parseGoldsrcInfo, parseSourceInfo } from './a2s-info.ts';
import { parsePlayers } from './a2s-players.ts';
import { parseRules, type RulesDialect, withVersion } from './a2s-rules.ts';
import { SplitAssembly } from './a2s-split.ts';
import {
  type DatagramExchange,
  type DatagramProtocol,
  type ExchangeContext,
  MalformedReply,
  MORE,
  type Step,
  strictly,
} from './protocol.ts';

/**
 * The A2S_INFO request, 25 bytes. Unlike newer clients, gsq does not pad this request, because padding triggers DDoS
 * filters.
 */
const INFO = Buffer.from('\xff\xff\xff\xffTSource Engine Query\0', 'latin1');
const PLAYER = Buffer.from('\xff\xff\xff\xffU', 'latin1');
const RULES = Buffer.from('\xff\xff\xff\xffV', 'latin1');
const DETAILS = Buffer.from('\xff\xff\xff\xffdetails\0', 'latin1');
const PLAYERS = Buffer.from('\xff\xff\xff\xffplayers\0', 'latin1');

/**
 * Number that gsq sends in place of a challenge if it does not know the server's challenge. The server then replies
 * with a challenge.
 */
const NO_CHALLENGE = 0xffffffff;

/**
 * Maximum number of packets that gsq sends in one query, because servers block clients that send many packets. If the
 * player list needs more packets, the status has no player list.
 */
const MAX_PACKETS = 3;

const WHOLE = -1;
const SPLIT = -2;
const HEADER_BYTES = 5;

const S2A_INFO_SOURCE = 0x49;
const S2A_INFO_GOLDSRC = 0x6d;
const S2A_PLAYER = 0x44;
const S2A_RULES = 0x45;
const S2C_CHALLENGE = 0x41;

/** The data that gsq requests after the A2S_INFO reply: the player list or the rules (server settings). */
type Extra = 'players' | 'rules';

interface A2sDialect {
  /** True for the old GoldSrc engine without Steam, whose requests are words such as `details`. */
  inWords?: boolean;
  rules?: RulesDialect;
}

class A2sExchange implements DatagramExchange {
  readonly #dialect: A2sDialect;
  readonly #knownVersion: string | undefined;
  #split: SplitAssembly | undefined;
  #challenge: number | undefined;
  #challenged = false;
  #info: A2sInfo | undefined;
  #extra: Extra | undefined;
  #sent = 0;

  constructor(dialect: A2sDialect, { knownVersion, challenge }: ExchangeContext) {
    this.#dialect = dialect;
    this.#knownVersion = knownVersion;
    this.#challenge = challenge;
  }

  /** True if the server has sent a challenge, which the query must repeat. */
  get challenged(): boolean {
    return this.#challenged;
  }

  get challenge(): number | undefined {
    return this.#challenge;
  }

  request(): Buffer[] {
    this.#sent++;
    // Discards packets of an incomplete reply to the previous request.
    this.#split = undefined;
    return [this.#question()];
  }

  receive(datagram: Buffer): Step {
    const step = strictly(() => this.#read(datagram));
    if (step.kind !== 'malformed') return step;
    // If the second reply (players or rules) is malformed, gsq reports the status from A2S_INFO alone. Games whose
    // rules are `essential` are an exception, because their A2S_INFO has wrong values.
    const status = this.partial();
    return status ? { kind: 'done', status } : step;
  }

  partial(): RawStatus | undefined {
    return this.#dialect.rules?.essential ? undefined : this.#info?.status;
  }

  /**
   * Returns the next step of the query: to send an A2S request. Returns undefined if gsq has already sent the maximum
   * number of packets.
   */
  #ask(): Step | undefined {
    return this.#sent === MAX_PACKETS ? undefined : { kind: 'send', packets: this.request() };
  }

  #question(): Buffer {
    const { inWords } = this.#dialect;
    if (!this.#info) {
      if (inWords) return DETAILS;
      return this.#challenge === undefined ? INFO : withChallenge(INFO, this.#challenge);
    }
    if (inWords) return PLAYERS;
    return withChallenge(this.#extra === 'rules' ? RULES : PLAYER, this.#challenge ?? NO_CHALLENGE);
  }

  #read(datagram: Buffer): Step {
    if (datagram.length < HEADER_BYTES) throw new MalformedReply(`${datagram.length} bytes are no A2S reply`);
    const header = frameOf(datagram);
    if (header === WHOLE) return this.#readMessage(datagram);
    if (header !== SPLIT) throw new MalformedReply('neither a whole nor a split A2S reply');
    this.#split ??= new SplitAssembly(this.#info?.goldsrc);
    const whole = this.#split.addPacket(datagram);
    if (!whole) return MORE;
    if (whole.length < HEADER_BYTES || frameOf(whole) !== WHOLE) {
      throw new MalformedReply('a split reply without content');
    }
    return this.#readMessage(whole);
  }

  #readMessage(message: Buffer): Step {
    const type = message[4];
    if (type === S2C_CHALLENGE) return this.#readChallenge(message);
    if (this.#info) return this.#readExtra(message, this.#info);
    if (type === S2A_INFO_SOURCE) return this.#readInfo(parseSourceInfo(message));
    if (type === S2A_INFO_GOLDSRC) return this.#readInfo(parseGoldsrcInfo(message));
    if (type === S2A_PLAYER || type === S2A_RULES) return MORE;
    throw new MalformedReply(`an A2S reply of the unknown type ${type}`);
  }

  #readChallenge(message: Buffer): Step {
    if (message.length !== HEADER_BYTES + 4)
      throw new MalformedReply(`a challenge in ${message.length} bytes`);
    this.#challenge = message.readUInt32LE(HEADER_BYTES);
    this.#challenged = true;
    const next = this.#ask();
    if (next) return next;
    throw new MalformedReply('answers each challenge with another');
  }

  #readInfo(info: A2sInfo): Step {
    const { rules } = this.#dialect;
    this.#info = info;
    if (rules && !rules.essential) info.status = withVersion(info.status, this.#knownVersion || undefined);
    this.#extra = this.#extraOf(info.status);
    const next = this.#extra && this.#ask();
    if (next) return next;
    const status = this.partial();
    if (!status) throw new MalformedReply('asks for too much to be asked for its rules');
    return { kind: 'done', status };
  }

  #extraOf(status: RawStatus): Extra | undefined {
    const { rules } = this.#dialect;
    if (rules && (rules.essential || this.#knownVersion === undefined)) return 'rules';
    return status.players === 0 ? undefined : 'players';
  }

  /**
   * Reads the reply with the player list or the rules. Ignores messages of a different type, because they are late or
   * duplicates.
   */
  #readExtra(message: Buffer, { status, appId }: A2sInfo): Step {
    const type = message[4];
    if (type === S2A_RULES && this.#extra === 'rules')
      return { kind: 'done', status: this.#dialect.rules?.amend(status, parseRules(message)) ?? status };
    if (type !== S2A_PLAYER || this.#extra !== 'players') return MORE;
    status.playerList = parsePlayers(message, appId);
    return { kind: 'done', status };
  }
}

/**
 * Returns the first four bytes of a datagram as a little-endian number. They show whether the reply is split into
 * packets. Reading byte by byte is faster than Buffer's readInt32LE.
 */
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

function speaking(dialect: A2sDialect): DatagramProtocol {
  return {
    transport: 'udp',
    colours: 'none',
    open: context => new A2sExchange(dialect, context),
  };
}

/** The A2S protocol of Source games, GoldSrc games and many other games. */
export const a2s: DatagramProtocol = speaking({});

/** The protocol of the old GoldSrc engine without Steam, which understands only words such as `details` as requests. */
export const goldsrc: DatagramProtocol = speaking({ inWords: true });

/**
 * Returns the A2S protocol for a game whose A2S_INFO reply contains wrong values. `rules` describes how gsq corrects
 * these values with the A2S_RULES reply.
 */
export function a2sWithRules(rules: RulesDialect): DatagramProtocol {
  return { ...speaking({ rules }), versionInRules: !rules.essential };
}
