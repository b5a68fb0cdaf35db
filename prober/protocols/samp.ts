// The queries of San Andreas Multiplayer (SA-MP). open.mp servers answer them too. Sources:
// https://open.mp/docs/tutorials/QueryMechanism and Server/Components/LegacyNetwork/Query/query.cpp of
// https://github.com/openmultiplayer/open.mp

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

/**
 * Opcode of a request for the short player list. gsq does not request the long list (opcode `d`), because open.mp does
 * not support it.
 */
const PLAYERS = 'c';
/** Opcode of a request for the rules (server settings). Two of the rules are the version and the map. */
const RULES = 'r';
const INFO = 'i';

const MAGIC_BYTES = 4;
const HEADER_BYTES = MAGIC_BYTES + 4 + 2 + 1;
/** Maximum number of players in a list. A server with more players ignores the request for the player list. */
const MAX_LISTED = 100;

/** The parts of the SA-MP protocol that differ between games. */
export interface SampDialect {
  requestMagic: string;
  replyMagic: string;
  /** Reads the body of the reply to the info request. This function can throw MalformedReply. */
  readInfo(body: ByteReader): CountedStatus;
  readPlayer(body: ByteReader): RawPlayer;
  rules: boolean;
}

/**
 * A query for the server info, the players and the rules. Each request waits for the previous reply, because servers
 * drop requests that follow too quickly.
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
    // If the player list or the rules are malformed, gsq reports the status without them.
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
    // Ignores replies to other requests. A reply must repeat the address of the queried server and the letter of the
    // current request, for example `i`.
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
    // gsq requests the list only if the server info reports at most `MAX_LISTED` players. The list can be longer,
    // because players can join after the server info was sent. So gsq accepts up to twice `MAX_LISTED` players.
    if (count > 2 * MAX_LISTED) throw new MalformedReply(`a list of ${count} players`);
    const players = Array.from({ length: count }, () => this.#dialect.readPlayer(body));
    body.end();
    return players;
  }
}

/**
 * Encodes the address and port of the queried server. The server ignores them, but network filters can require them,
 * because game clients send them.
 */
function addressee({ address, port }: ExchangeContext): Buffer {
  const octets = isIPv4(address) ? address.split('.').map(Number) : [0, 0, 0, 0];
  return Buffer.from([...octets, port & 0xff, port >> 8]);
}

/**
 * Reads the info fields that SA-MP and VC:MP have in common. `third` is the field after the game mode: the language in
 * SA-MP, the map in VC:MP. Throws MalformedReply if the reply ends within a field.
 */
export function readCommonInfo(body: ByteReader): { status: CountedStatus; third: string } {
  const password = body.u8() !== 0;
  const players = body.u16();
  const maxplayers = body.u16();
  const name = readLongText(body);
  readLongText(body); // unused field: game mode
  return { status: { name, players, maxplayers, password }, third: readLongText(body) };
}

function readLongText(body: ByteReader): string {
  return decodeText(body.bytes(body.u32()));
}

/** Reads a length byte, then a string of that many bytes. Throws MalformedReply if the reply ends within the string. */
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

/** The protocol of San Andreas Multiplayer and open.mp. */
export const samp: Protocol = {
  transport: 'udp',
  colours: 'none',
  open: context => new SampExchange(dialect, context),
};
