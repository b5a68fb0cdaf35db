// GameSpy's third query protocol and Minecraft's "query" protocol, which is also called GameSpy 4. Sources:
// `qr_build_split_query_reply` in the qr2.c of the Query & Reporting 2 SDK,
// https://wiki.unrealadmin.org/UT3_query_protocol, https://minecraft.wiki/w/Query

import type { RawPlayer, RawStatus } from '../answers/raw-status.ts';
import { ByteReader } from './byte-reader.ts';
import { MAX_GAMESPY_PLAYERS, readFacts, readPlayer } from './gamespy-facts.ts';
import { readRules, readTable } from './gamespy2.ts';
import {
  type DatagramExchange,
  MalformedReply,
  MORE,
  type Protocol,
  type Step,
  strictly,
  TruncatedReply,
} from './protocol.ts';

const MAGIC = Buffer.from([0xfe, 0xfd]);
const CHALLENGE = 0x09;
const QUERY = 0x00;
const HEADER_BYTES = 5;
/**
 * Last bytes of a query that requests all data about the server, its players and its teams, and allows the server to
 * send several packets.
 */
const ALL_IN_PARTS = Buffer.from([0xff, 0xff, 0xff, 0x01]);

const SPLIT = Buffer.from('splitnum\0', 'latin1');
const LAST_PART = 0x80;
const PART_NUMBER = 0x7f;

const MAX_PARTS = 32;
const MAX_BYTES = 64 * 1024;

/**
 * Type of the section that contains the server properties. The other sections of a reply contain lists of players or
 * teams.
 */
const FACTS = 0;

/**
 * Matches the key of a setting in Unreal Tournament 3, for example `p268435705`. In some replies, the value of a key is
 * missing and the next key follows. So if a value matches this pattern, gsq treats it as the next key.
 */
const SETTING = /^p\d{9,10}$/;

/** Key of the number of bots in Unreal Tournament 3. */
const BOTS = 'p268435703';
const COUNT = /^\d{1,9}$/;

/** The parts of the GameSpy 3 protocol that differ between games. */
export interface Gamespy3Dialect {
  /** Last bytes of the query. They specify which data the server sends. */
  wanted: Buffer;
  /** True if each reply consists of a single packet. gsq then ignores the packet number. */
  inOnePart: boolean;
  /**
   * Builds the status from the packets of a reply. `packets` is sorted, and the packet numbers are removed. The method
   * is allowed to throw MalformedReply.
   */
  read(packets: Buffer[]): RawStatus;
}

/**
 * A GameSpy 3 query. It first requests a challenge, a number that the query must repeat. Then it sends the query, and
 * collects the numbered packets of the reply.
 */
export class Gamespy3Exchange implements DatagramExchange {
  readonly #dialect: Gamespy3Dialect;
  readonly #id: Buffer;
  readonly #packets = new Map<number, Buffer>();
  #challenged = false;
  #last: number | undefined;
  #bytes = 0;

  constructor(dialect: Gamespy3Dialect, nonce: bigint) {
    this.#dialect = dialect;
    this.#id = Buffer.alloc(4);
    this.#id.writeUInt32BE(Number(BigInt.asUintN(32, nonce)));
  }

  request(): Buffer[] {
    return [Buffer.concat([MAGIC, Buffer.from([CHALLENGE]), this.#id])];
  }

  receive(datagram: Buffer): Step {
    return strictly(() => this.#read(datagram));
  }

  partial(): RawStatus | undefined {
    return undefined;
  }

  #read(datagram: Buffer): Step {
    const type = datagram[0];
    if (datagram.length < HEADER_BYTES || (type !== CHALLENGE && type !== QUERY)) {
      throw new MalformedReply('no GameSpy 3 reply');
    }
    if (!datagram.subarray(1, HEADER_BYTES).equals(this.#id)) return MORE;
    // Some GameSpy 3 servers use no challenges. They answer the challenge request directly with the status.
    if (type === QUERY) return this.#readPart(datagram.subarray(HEADER_BYTES));
    if (this.#challenged) return MORE;
    this.#challenged = true;
    const challenge = readChallenge(new ByteReader(datagram, HEADER_BYTES));
    const query = Buffer.concat([MAGIC, Buffer.from([QUERY]), this.#id, challenge, this.#dialect.wanted]);
    return { kind: 'send', packets: [query] };
  }

  #readPart(body: Buffer): Step {
    if (!body.subarray(0, SPLIT.length).equals(SPLIT)) return { kind: 'done', status: readUnsplit(body) };
    const number = body[SPLIT.length];
    if (number === undefined) throw new MalformedReply('a part without its number');
    this.#bytes += body.length;
    if ((number & PART_NUMBER) >= MAX_PARTS || this.#bytes > MAX_BYTES) {
      throw new MalformedReply(`more than ${MAX_PARTS} packets or ${MAX_BYTES} bytes`);
    }
    const part = body.subarray(SPLIT.length + 1);
    if (this.#dialect.inOnePart) return { kind: 'done', status: this.#dialect.read([part]) };
    if (!this.#packets.has(number & PART_NUMBER)) this.#packets.set(number & PART_NUMBER, part);
    if (number & LAST_PART) this.#last = number & PART_NUMBER;
    const packets = this.#wholeReply();
    return packets ? { kind: 'done', status: this.#dialect.read(packets) } : MORE;
  }

  #wholeReply(): Buffer[] | undefined {
    if (this.#last === undefined) return undefined;
    const packets: Buffer[] = [];
    for (let number = 0; number <= this.#last; number++) {
      const part = this.#packets.get(number);
      if (!part) return undefined;
      packets.push(part);
    }
    return packets;
  }
}

/**
 * Converts the challenge from text to the bytes that the query must repeat. Returns no bytes if the server demands no
 * challenge.
 */
function readChallenge(reader: ByteReader): Buffer {
  const text = reader.cstring().trim();
  if (text === '' || text === '0') return Buffer.alloc(0);
  const challenge = Buffer.alloc(4);
  const value = /^-?\d{1,10}$/.test(text) ? Number(text) : Number.NaN;
  if (!(value >= -0x80000000 && value <= 0xffffffff))
    throw new MalformedReply('a challenge that is no number');
  challenge.writeUInt32BE(value >>> 0);
  return challenge;
}

/**
 * Reads the reply of an old server: a single packet without a packet number, in the format of GameSpy's second
 * protocol.
 */
function readUnsplit(body: Buffer): RawStatus {
  const reader = new ByteReader(body);
  const rules = readRules(reader);
  const playerList = reader.remaining > 0 ? readTable(reader) : [];
  return { ...readFacts(rules, playerList.length), playerList };
}

type Fields = Map<string, string>;

/** Parses the packets of a reply, which consists of sections. A section can continue in the next packet. */
function readStatus(packets: Buffer[]): RawStatus {
  const rules: Fields = new Map();
  const rows: Fields[] = [];
  let isCut = false;
  for (const [number, part] of packets.entries()) {
    const reader = new ByteReader(part);
    const goesOn = number < packets.length - 1;
    while (reader.remaining > 0) {
      const section = reader.u8();
      if (section === FACTS) {
        readFactsSection(reader, goesOn, rules);
      } else if (!readLists(reader, goesOn, rows)) {
        isCut = true;
        break;
      }
    }
  }
  const playerList: RawPlayer[] = [];
  const bots: boolean[] = [];
  for (const fields of rows) {
    const player = fields && readPlayer(fields);
    if (player) playerList.push(player);
    const bot = fields?.get('aibot');
    if (bot !== undefined) bots.push(bot === '1');
  }
  // The length of a truncated player list is not the number of players.
  const status: RawStatus = { ...readFacts(rules, isCut ? undefined : playerList.length), playerList };
  const knowsAllBots = bots.length > 0 && !(isCut && bots.length < playerList.length);
  const numbots = knowsAllBots ? bots.filter(isBot => isBot).length : readBots(rules);
  if (numbots !== undefined) status.numbots = numbots;
  return status;
}

function readBots(rules: Fields): number | undefined {
  const value = rules.get(BOTS) ?? '';
  return COUNT.test(value) ? Number(value) : undefined;
}

function readFactsSection(reader: ByteReader, goesOn: boolean, rules: Fields): void {
  if (reader.remaining === 0) return;
  const isOver = () => goesOn && reader.remaining === 0;
  while (!isOver()) {
    let key = reader.cstring();
    if (key === '' || isOver()) return;
    let value = reader.latin1();
    while (SETTING.test(value) && !isOver()) {
      key = value;
      value = reader.latin1();
    }
    rules.set(key.toLowerCase(), value);
  }
}

/**
 * Reads a section with player data into `rows`. The section has one list for each field: the field name, the index of
 * the first player, then the values of the players. An empty value ends the list. Returns false if the packet ends
 * within a list; `rows` then contains the complete values. This is not an error, because servers of Unreal Tournament 3
 * and Crysis truncate their last packet.
 */
function readLists(reader: ByteReader, goesOn: boolean, rows: Fields[]): boolean {
  try {
    while (reader.remaining > 0 && readList(reader, goesOn, rows));
    return true;
  } catch (error) {
    if (error instanceof TruncatedReply) return false;
    throw error;
  }
}

/** Reads the list with the values of one player field. Returns false if the section has no more lists. */
function readList(reader: ByteReader, goesOn: boolean, rows: Fields[]): boolean {
  const isOver = () => goesOn && reader.remaining === 0;
  const field = reader.cstring().toLowerCase().replace(/_$/, '');
  if (field === '' || isOver()) return false;
  const first = reader.u8();
  let position = first;
  while (!isOver()) {
    // Servers put a zero byte behind a string that they truncate, so the last value of the packet can be incomplete.
    if (reader.remaining === 0 && position > first) rows[position - 1]?.delete(field);
    const value = reader.latin1();
    if (value === '') break;
    if (position >= MAX_GAMESPY_PLAYERS) throw new MalformedReply('too many players');
    let fields = rows[position];
    if (!fields) {
      fields = new Map();
      rows[position] = fields;
    }
    fields.set(field, value);
    position++;
  }
  return true;
}

const dialect: Gamespy3Dialect = { wanted: ALL_IN_PARTS, inOnePart: false, read: readStatus };

/** GameSpy's third protocol. Games such as Unreal Tournament 3 use it, and so does the "query" of Minecraft. */
export const gamespy3: Protocol = {
  transport: 'udp',
  colours: 'none',
  open: context => new Gamespy3Exchange(dialect, context.nonce),
};
