// GameSpy's second query protocol. Sources: `qr_process_query` in the qr2.c of the Query & Reporting 2 SDK, and
// GS2/Classes/Listener.uc of https://github.com/sergeii/swat-gs2

import type { RawPlayer, RawStatus } from '../answers/raw-status.ts';
import { ByteReader } from './byte-reader.ts';
import { MAX_GAMESPY_PLAYERS, readFacts, readPlayer } from './gamespy-facts.ts';
import {
  type DatagramExchange,
  MalformedReply,
  MORE,
  type Protocol,
  type Step,
  strictly,
} from './protocol.ts';

const QUERY = Buffer.from([0xfe, 0xfd, 0x00]);
const REPLY = 0x00;
const HEADER_BYTES = 5;
// Each of the last three bytes of a request stands for one part of the reply: server properties, players, teams. The
// byte 0xff requests this part, and the byte 0 leaves it out.
const FACTS = Buffer.from([0xff, 0, 0]);
const PLAYERS = Buffer.from([0, 0xff, 0]);

const MAX_FIELDS = 64;
// Character codes of the letters a and z. If the second byte of a player list is a letter, the list has no player
// count, because real counts are below 97 (a).
const FIRST_LETTER = 0x61;
const LAST_LETTER = 0x7a;

/**
 * A GameSpy 2 query. Requests the server properties and the players separately, because a reply is a single datagram,
 * and both together can be too long for it.
 */
class Gamespy2Exchange implements DatagramExchange {
  readonly #id: number;
  #status: RawStatus | undefined;

  constructor(nonce: bigint) {
    this.#id = Number(BigInt.asUintN(32, nonce));
  }

  request(): Buffer[] {
    return [this.#ask(FACTS)];
  }

  receive(datagram: Buffer): Step {
    const step = strictly(() => this.#read(datagram));
    // If the player list is malformed, gsq reports the status without the player list.
    if (step.kind === 'malformed' && this.#status) return { kind: 'done', status: this.#status };
    return step;
  }

  partial(): RawStatus | undefined {
    return this.#status;
  }

  #ask(wanted: Buffer): Buffer {
    const id = Buffer.alloc(4);
    id.writeUInt32BE(this.#currentId);
    return Buffer.concat([QUERY, id, wanted]);
  }

  /**
   * Id of the current request. The request for the properties and the request for the players have different ids, so
   * gsq can distinguish their replies.
   */
  get #currentId(): number {
    return (this.#status ? this.#id ^ 1 : this.#id) >>> 0;
  }

  #read(datagram: Buffer): Step {
    if (datagram.length < HEADER_BYTES || datagram[0] !== REPLY)
      throw new MalformedReply('no GameSpy 2 reply');
    if (datagram.readUInt32BE(1) !== this.#currentId) return MORE;
    const reader = new ByteReader(datagram, HEADER_BYTES);
    if (this.#status) return { kind: 'done', status: { ...this.#status, playerList: readTable(reader) } };
    const status = readFacts(readRules(reader));
    this.#status = status;
    return status.players > 0 ? { kind: 'send', packets: [this.#ask(PLAYERS)] } : { kind: 'done', status };
  }
}

/**
 * Reads the server properties of a GameSpy 2 reply: keys and values until an empty key. Converts the keys to lower
 * case. Does not decode the values: each character stands for one byte. Throws MalformedReply if the data ends before
 * the empty key.
 */
export function readRules(reader: ByteReader): Map<string, string> {
  const rules = new Map<string, string>();
  for (let key = reader.cstring(); key !== ''; key = reader.cstring())
    rules.set(key.toLowerCase(), reader.latin1());
  return rules;
}

/**
 * Reads a player list: player count, field names, then the players. Drops an incomplete last player, because servers
 * truncate long lists. Throws MalformedReply if the list is not valid.
 */
export function readTable(reader: ByteReader): RawPlayer[] {
  const high = reader.u8();
  const low = reader.u8();
  const isCounted = low < FIRST_LETTER || low > LAST_LETTER;
  const count = isCounted ? (high << 8) | low : MAX_GAMESPY_PLAYERS;
  if (count > MAX_GAMESPY_PLAYERS) throw new MalformedReply(`${count} players`);
  const fields = readFields(reader, isCounted ? '' : String.fromCharCode(low));
  const players: RawPlayer[] = [];
  for (let row = 0; row < count; row++) {
    const cells = new Map<string, string>();
    for (const field of fields) {
      if (reader.remaining === 0) return players;
      const cell = reader.latin1();
      if (!isCounted && cells.size === 0 && cell === '') return players;
      cells.set(field, cell);
    }
    const player = readPlayer(cells);
    if (player) players.push(player);
  }
  return players;
}

function readFields(reader: ByteReader, begun: string): string[] {
  const fields: string[] = [];
  for (let name = begun + reader.cstring(); name !== ''; name = reader.cstring()) {
    if (fields.length === MAX_FIELDS) throw new MalformedReply(`more than ${MAX_FIELDS} fields`);
    fields.push(name.toLowerCase().replace(/_$/, ''));
  }
  return fields;
}

/** GameSpy's second query protocol. */
export const gamespy2: Protocol = {
  transport: 'udp',
  colours: 'none',
  open: context => new Gamespy2Exchange(context.nonce),
};
