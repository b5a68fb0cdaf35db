import { randomBytes } from 'node:crypto';
import {
  dataStartAt,
  decodeRecord,
  HEADER,
  IN_MEMORY,
  MAX_KEY,
  newPointer,
  probedServerAt,
  type RecordPointer,
  recordAt,
  rewriteRecord,
  SLOT,
  slotAt,
} from '../../servers/record-codec.ts';
import type { ProbedServer, ServerRecord } from '../../servers/server-record.ts';
import { Arena, NOWHERE } from './arena.ts';
import { HalfSipHash } from './half-sip-hash.ts';

// Fields of a record that only memory knows. The hash takes the place of the checksum.
const HASH = 4;
const ADDRESS_LENGTH = IN_MEMORY;
const GAME = IN_MEMORY + 2;
const MAX_GAMES = 0x10000;

/** A game with at least one server. */
interface Game {
  readonly id: string;
  readonly number: number;
  /** Of an address. With a random key, because callers choose the addresses. */
  readonly hash: HalfSipHash;
  servers: number;
}

/**
 * Every record by its key, in typed arrays and an arena: about 20 bytes a server and the record itself. A server has
 * a slot, a small whole number that stays while it is in; slots of removed servers are given again. Records are in
 * the form in which they are stored, with the address behind the header.
 */
export class ServerTable {
  readonly #games = new Map<string, Game>();
  /** By number; undefined where a number is free. */
  readonly #gameOf: (Game | undefined)[] = [];
  readonly #arena = new Arena((from, to, place) => this.#moved(from, to, place));
  /**
   * Open addressing, a power of two entries long: of each the hash and the position, which is NOWHERE where the entry
   * is empty. Both lie together, so that finding a server costs two waits for memory: here and at the record.
   */
  #index: Int32Array = new Int32Array(2 * 1024);
  /** By slot. */
  #positions: Int32Array = new Int32Array(768);
  /** Slots ever given. */
  #begun = 0;
  /** The slot freed last, counted from 1; `#positions` names the one before it, and so on to 0. */
  #freed = 0;
  #size = 0;
  /** Scratch for the address of a key. */
  readonly #address = Buffer.alloc(3 * MAX_KEY);
  readonly #place = newPointer();

  get size(): number {
    return this.#size;
  }

  /** Bytes of memory held for records. */
  get recordBytes(): number {
    return this.#arena.bytes;
  }

  /**
   * Finds a server by its catalog game id and its address, which is `text` from `start` to `end`. Fills `place`; false
   * where it is not in.
   */
  find(gameId: string, text: Uint8Array, start: number, end: number, place: RecordPointer): boolean {
    const game = this.#games.get(gameId);
    if (!game) return false;
    const hash = game.hash.hash(text, start, end);
    const index = this.#index;
    const mask = index.length / 2 - 1;
    for (let i = hash & mask; ; i = (i + 1) & mask) {
      const position = index[2 * i + 1] ?? NOWHERE;
      if (position === NOWHERE) return false;
      if (index[2 * i] !== hash) continue;
      this.#arena.locate(position, place);
      if (isOf(place, game.number, text, start, end)) return true;
    }
  }

  /** The slot of a `serverKey`; -1 where it is not in. */
  slotOf(key: string): number {
    const space = key.indexOf(' ');
    if (space < 1 || key.length > MAX_KEY) return -1;
    const end = this.#address.write(key.slice(space + 1));
    const place = this.#place;
    return this.find(key.slice(0, space), this.#address, 0, end, place) ? slotAt(place) : -1;
  }

  /** Fills `place` with where the record of a slot lies. */
  locate(slot: number, place: RecordPointer): void {
    this.#arena.locate(this.#positions[slot] ?? NOWHERE, place);
  }

  /** The record of a slot, as an object that stays as it is. */
  record(slot: number): ServerRecord {
    const place = this.#place;
    this.locate(slot, place);
    return decodeRecord(this.#gameAt(place).id, place);
  }

  /** The same, its data where it lies: good until the next change. */
  recordInPlace(slot: number): ServerRecord {
    const place = this.#place;
    this.locate(slot, place);
    return recordAt(this.#gameAt(place).id, place);
  }

  /** What has to be known to probe the server of a slot. */
  probed(slot: number): ProbedServer {
    const place = this.#place;
    this.locate(slot, place);
    return probedServerAt(this.#gameAt(place).id, place);
  }

  /** Puts in a server that is not in, with its record as stored. Its slot. */
  insert(key: string, value: Buffer): number {
    if (key.length > MAX_KEY)
      throw new RangeError(`a key of ${key.length} characters is longer than ${MAX_KEY}`);
    const space = key.indexOf(' ');
    const game = this.#game(key.slice(0, space));
    const length = this.#address.write(key.slice(space + 1));
    const hash = game.hash.hash(this.#address, 0, length);
    const position = this.#arena.allocate(value.length + length);
    const slot = this.#newSlot();
    this.#positions[slot] = position;
    const place = this.#place;
    this.locate(slot, place);
    const { bytes, view, at } = place;
    view.setUint16(at + ADDRESS_LENGTH, length, true);
    view.setUint16(at + GAME, game.number, true);
    view.setUint32(at + SLOT, slot, true);
    this.#address.copy(bytes, at + HEADER, 0, length);
    write(place, value, hash, length);
    game.servers++;
    this.#size++;
    if (this.#size * 8 > this.#index.length * 3) this.#growIndex();
    this.#enter(hash, position);
    return slot;
  }

  /** Puts another record of the same server in the place of the one of a slot. */
  replace(slot: number, record: ServerRecord): void {
    const place = this.#place;
    this.locate(slot, place);
    const { bytes, at } = place;
    const from = this.#positions[slot] ?? NOWHERE;
    const dataStart = dataStartAt(place) - at;
    if (this.#arena.fits(from, dataStart + record.data.length)) {
      rewriteRecord(place, record);
      return;
    }
    const to = this.#arena.allocate(dataStart + record.data.length);
    this.#positions[slot] = to;
    this.locate(slot, place);
    bytes.copy(place.bytes, place.at, at, at + dataStart);
    rewriteRecord(place, record);
    this.#index[2 * this.#entryOf(hashAt(place), from) + 1] = to;
    this.#arena.free(from);
  }

  remove(slot: number): void {
    const place = this.#place;
    this.locate(slot, place);
    const position = this.#positions[slot] ?? NOWHERE;
    const game = this.#gameAt(place);
    this.#leave(this.#entryOf(hashAt(place), position));
    this.#positions[slot] = this.#freed;
    this.#freed = slot + 1;
    this.#arena.free(position);
    this.#size--;
    if (--game.servers > 0) return;
    this.#games.delete(game.id);
    this.#gameOf[game.number] = undefined;
  }

  /** The slots that are taken, in no order. */
  *slots(): Generator<number> {
    const place = newPointer();
    for (let i = 1; i < this.#index.length; i += 2) {
      const position = this.#index[i] ?? NOWHERE;
      if (position === NOWHERE) continue;
      this.#arena.locate(position, place);
      yield slotAt(place);
    }
  }

  #gameAt({ view, at }: RecordPointer): Game {
    const game = this.#gameOf[view.getUint16(at + GAME, true)];
    if (!game) throw new RangeError('no such game');
    return game;
  }

  #game(id: string): Game {
    const known = this.#games.get(id);
    if (known) return known;
    const free = this.#gameOf.indexOf(undefined);
    const number = free < 0 ? this.#gameOf.length : free;
    if (number >= MAX_GAMES) throw new RangeError(`servers of ${MAX_GAMES} games are in, and more cannot be`);
    const key = randomBytes(8);
    const game = { id, number, hash: new HalfSipHash(key.readInt32LE(0), key.readInt32LE(4)), servers: 0 };
    this.#games.set(id, game);
    this.#gameOf[number] = game;
    return game;
  }

  #newSlot(): number {
    if (this.#freed > 0) {
      const slot = this.#freed - 1;
      this.#freed = this.#positions[slot] ?? 0;
      return slot;
    }
    if (this.#begun === this.#positions.length) {
      const positions = this.#positions;
      this.#positions = new Int32Array(positions.length * 2);
      this.#positions.set(positions);
    }
    return this.#begun++;
  }

  #moved(from: number, to: number, place: RecordPointer): void {
    this.#positions[slotAt(place)] = to;
    this.#index[2 * this.#entryOf(hashAt(place), from) + 1] = to;
  }

  #enter(hash: number, position: number): void {
    const index = this.#index;
    const mask = index.length / 2 - 1;
    let i = hash & mask;
    while (index[2 * i + 1] !== NOWHERE) i = (i + 1) & mask;
    index[2 * i] = hash;
    index[2 * i + 1] = position;
  }

  /** The number of an entry that is there. */
  #entryOf(hash: number, position: number): number {
    const index = this.#index;
    const mask = index.length / 2 - 1;
    let i = hash & mask;
    while (index[2 * i + 1] !== position) i = (i + 1) & mask;
    return i;
  }

  /** Empties an entry, and moves there what it had displaced. */
  #leave(entry: number): void {
    const index = this.#index;
    const mask = index.length / 2 - 1;
    let hole = entry;
    for (let i = (hole + 1) & mask; index[2 * i + 1] !== NOWHERE; i = (i + 1) & mask) {
      const home = (index[2 * i] ?? 0) & mask;
      if (((i - home) & mask) < ((i - hole) & mask)) continue;
      index.copyWithin(2 * hole, 2 * i, 2 * i + 2);
      hole = i;
    }
    index[2 * hole + 1] = NOWHERE;
  }

  #growIndex(): void {
    const before = this.#index;
    this.#index = new Int32Array(before.length * 2);
    for (let i = 0; i < before.length; i += 2) {
      const position = before[i + 1] ?? NOWHERE;
      if (position !== NOWHERE) this.#enter(before[i] ?? 0, position);
    }
  }
}

function hashAt({ view, at }: RecordPointer): number {
  return view.getInt32(at + HASH, true);
}

function isOf(
  { bytes, view, at }: RecordPointer,
  game: number,
  text: Uint8Array,
  start: number,
  end: number,
): boolean {
  if (view.getUint16(at + ADDRESS_LENGTH, true) !== end - start) return false;
  if (view.getUint16(at + GAME, true) !== game) return false;
  for (let i = start, j = at + HEADER; i < end; i++, j++) if (bytes[j] !== text[i]) return false;
  return true;
}

/** Writes a stored record around what only memory knows and the address, which are there already. */
function write({ bytes, view, at }: RecordPointer, value: Buffer, hash: number, addressLength: number): void {
  value.copy(bytes, at, 0, IN_MEMORY);
  view.setInt32(at + HASH, hash, true);
  value.copy(bytes, at + HEADER + addressLength, HEADER);
}
