// SA-MP's queries, which open.mp answers too: https://open.mp/docs/tutorials/QueryMechanism and
// Server/Components/LegacyNetwork/Query/query.cpp of https://github.com/openmultiplayer/open.mp

import { isIPv4 } from 'node:net';
import type { CountedStatus, RawPlayer, RawStatus } from '../answers/raw-status.ts';
import { ByteReader, decodeText } from './byte-reader.ts';
import {
  type DatagramExchange,
  type ExchangeContext,
  MalformedReply,
  MORE,
  type Protocol,
  type Step,
  strictly,
} from './protocol.ts';

/** The short list: open.mp does not know the long one (`d`), which has only ids and pings more. */
const PLAYERS = 'c';
/** Version and map are told nowhere else. */
const RULES = 'r';
const INFO = 'i';

const MAGIC_BYTES = 4;
const HEADER_BYTES = MAGIC_BYTES + 4 + 2 + 1;
/** With more players than these, servers leave the question for them unanswered. */
const MAX_LISTED = 100;

/** How one of the family says it. */
export interface SampDialect {
  requestMagic: string;
  replyMagic: string;
  /** May throw MalformedReply. */
  readInfo(body: ByteReader): CountedStatus;
  readPlayer(body: ByteReader): RawPlayer;
  rules: boolean;
}

/**
 * Info, then, one after another (servers drop what follows too closely), the players and the rules. Replies
 * repeat the head of their request: address, port and the letter of what was asked.
 */
export class SampExchange implements DatagramExchange {
  readonly #dialect: SampDialect;
  readonly #addressee: Buffer;
  #asked = INFO;
  #toAsk: string[] = [];
  #status: RawStatus | undefined;

  constructor(dialect: SampDialect, context: ExchangeContext) {
    this.#dialect = dialect;
    this.#addressee = addressee(context);
  }

  request(): Buffer[] {
    return [this.#question()];
  }

  receive(datagram: Buffer): Step {
    const step = strictly(() => this.#read(datagram));
    // The status stands on its own: a bad list or bad rules only cost themselves.
    return step.kind === 'malformed' && this.#status ? this.#askOn(this.#status) : step;
  }

  partial(): RawStatus | undefined {
    return this.#status;
  }

  #read(datagram: Buffer): Step {
    const magic = this.#dialect.replyMagic;
    if (datagram.length < HEADER_BYTES || datagram.toString('latin1', 0, MAGIC_BYTES) !== magic) {
      throw new MalformedReply(`no ${magic} reply`);
    }
    // To somebody else's question, or to one of ours that has its answer.
    if (!datagram.subarray(MAGIC_BYTES, HEADER_BYTES - 1).equals(this.#addressee)) return MORE;
    if (datagram.toString('latin1', HEADER_BYTES - 1, HEADER_BYTES) !== this.#asked) return MORE;
    const body = new ByteReader(datagram, HEADER_BYTES);
    if (!this.#status) {
      const status = this.#dialect.readInfo(body);
      if (status.players > 0 && status.players <= MAX_LISTED) this.#toAsk.push(PLAYERS);
      if (this.#dialect.rules) this.#toAsk.push(RULES);
      return this.#askOn(status);
    }
    if (this.#asked === RULES) return this.#askOn({ ...this.#status, ...readRules(body) });
    return this.#askOn({ ...this.#status, playerList: this.#readPlayers(body) });
  }

  #askOn(status: RawStatus): Step {
    this.#status = status;
    const next = this.#toAsk.shift();
    if (next === undefined) return { kind: 'done', status };
    this.#asked = next;
    return { kind: 'send', packets: [this.#question()] };
  }

  #question(): Buffer {
    const { requestMagic } = this.#dialect;
    return Buffer.concat([Buffer.from(requestMagic), this.#addressee, Buffer.from(this.#asked)]);
  }

  #readPlayers(body: ByteReader): RawPlayer[] {
    const count = body.u16();
    // Somebody may have come since the info was told.
    if (count > 2 * MAX_LISTED) throw new MalformedReply(`a list of ${count} players`);
    const players = Array.from({ length: count }, () => this.#dialect.readPlayer(body));
    body.end();
    return players;
  }
}

/** The server's own address and port, as clients send them. Servers look at neither, filters before them may. */
function addressee({ address, port }: ExchangeContext): Buffer {
  const octets = isIPv4(address) ? address.split('.').map(Number) : [0, 0, 0, 0];
  return Buffer.from([...octets, port & 0xff, port >> 8]);
}

/** What both dialects tell, and their third text: SA-MP's language, VC:MP's map. Throws MalformedReply. */
export function readCommonInfo(body: ByteReader): { status: CountedStatus; third: string } {
  const password = body.u8() !== 0;
  const players = body.u16();
  const maxplayers = body.u16();
  const name = readLongText(body);
  readLongText(body); // the game mode
  return { status: { name, players, maxplayers, password }, third: readLongText(body) };
}

function readLongText(body: ByteReader): string {
  return decodeText(body.bytes(body.u32()));
}

/** Text of at most 255 bytes behind its length. Throws MalformedReply. */
export function readShortText(body: ByteReader): string {
  return decodeText(body.bytes(body.u8()));
}

function readRules(body: ByteReader): Pick<RawStatus, 'map' | 'version'> {
  const rules = new Map<string, string>();
  for (let left = body.u16(); left > 0; left--) rules.set(readShortText(body), readShortText(body));
  body.end();
  return { map: rules.get('mapname') ?? '', version: rules.get('version') ?? '' };
}

const dialect: SampDialect = {
  requestMagic: 'SAMP',
  replyMagic: 'SAMP',
  readInfo: body => {
    const { status } = readCommonInfo(body);
    body.end();
    return status;
  },
  readPlayer: body => ({ name: readShortText(body), score: body.i32() }),
  rules: true,
};

/** San Andreas Multiplayer and open.mp. */
export const samp: Protocol = {
  transport: 'udp',
  colours: 'none',
  open: context => new SampExchange(dialect, context),
};
