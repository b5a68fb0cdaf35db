import {
  decodeRecord,
  MAX_KEY,
  probedServerAt,
  recordAt,
  rewriteRecord,
} from '../../servers/record-codec.ts';
import { HEADER, IN_MEMORY, LAYOUT } from '../../servers/record-layout.ts';
import { dataStartAt, newPointer, type RecordPointer, slotAt } from '../../servers/record-pointer.ts';
import type { ProbedServer, ServerRecord } from '../../servers/server-record.ts';
import { AddressIndex } from './address-index.ts';
import { Arena, NOWHERE } from './arena.ts';
import { GameNumbers, type NumberedGame } from './game-numbers.ts';
import { SlotPositions } from './slot-positions.ts';

const { addressLength: ADDRESS_LENGTH, game: GAME, slot: SLOT } = LAYOUT;
/**
 * Record field with two uses. In memory it holds the hash of the server's address. In a stored record it holds the
 * checksum.
 */
const HASH = LAYOUT.checksum;

/**
 * All server records in memory, keyed by `serverKey`. Each server needs about 20 bytes in addition to its record. The
 * slot of a server is its row in the table, a small integer. After the removal of a server, the table reuses the slot.
 */
export class ServerTable {
  readonly #games = new GameNumbers();
  /**
   * The records of all servers. A record has the same format as in the storage engine, but with the server's address
   * after its header.
   */
  readonly #arena = new Arena((from, to, pointer) => this.#recordMoved(from, to, pointer));
  readonly #index = new AddressIndex();
  readonly #positions = new SlotPositions();
  #size = 0;
  /** Buffer for the UTF-8 bytes of the address in a `serverKey`. It is reused to avoid allocations. */
  readonly #address = Buffer.alloc(3 * MAX_KEY);
  readonly #pointer = newPointer();

  get size(): number {
    return this.#size;
  }

  /** Number of bytes of memory allocated for the server records of this table. */
  get recordBytes(): number {
    return this.#arena.bytes;
  }

  /**
   * Finds a server by its game and its address, and sets `pointer` to its record. Returns false if the server is not in
   * the table. `gameId`: id of the game in the catalog. `text`: contains the address, from the offset `start` to the
   * offset `end`.
   */
  find(gameId: string, text: Uint8Array, start: number, end: number, pointer: RecordPointer): boolean {
    const game = this.#games.get(gameId);
    if (!game) return false;
    const hash = game.hash.hash(text, start, end);
    const { entries } = this.#index;
    const mask = entries.length / 2 - 1;
    for (let i = hash & mask; ; i = (i + 1) & mask) {
      const position = entries[2 * i + 1] ?? NOWHERE;
      if (position === NOWHERE) return false;
      if (entries[2 * i] !== hash) continue;
      this.#arena.locate(position, pointer);
      if (isOf(pointer, game.number, text, start, end)) return true;
    }
  }

  /**
   * Finds a server by its `serverKey`, and sets `pointer` to its record. Returns false if the server is not in the
   * table.
   */
  findKey(key: string, pointer: RecordPointer): boolean {
    const space = key.indexOf(' ');
    if (space < 1 || key.length > MAX_KEY) return false;
    const end = this.#address.write(key.slice(space + 1));
    return this.find(key.slice(0, space), this.#address, 0, end, pointer);
  }

  /**
   * Returns the slot (row in the table) of the server with this `serverKey`; -1 if the server is not in the table.
   */
  slotOf(key: string): number {
    const pointer = this.#pointer;
    return this.findKey(key, pointer) ? slotAt(pointer) : -1;
  }

  /** Sets `pointer` to the record of the server with this `slot`. */
  locate(slot: number, pointer: RecordPointer): void {
    this.#arena.locate(this.#positions.get(slot), pointer);
  }

  /** Returns a copy of the record of the server with this `slot`. The copy stays valid when the table changes. */
  record(slot: number): ServerRecord {
    const pointer = this.#pointer;
    this.locate(slot, pointer);
    return decodeRecord(this.#gameAt(pointer).id, pointer);
  }

  /**
   * Returns the record of the server with this `slot`, without a copy of its data. The record is valid until the next
   * change of the table.
   */
  recordInPlace(slot: number): ServerRecord {
    const pointer = this.#pointer;
    this.locate(slot, pointer);
    return recordAt(this.#gameAt(pointer).id, pointer);
  }

  /**
   * Returns the data of a server that the core needs to plan and send its next probe. `slot`: row of the server in the
   * table.
   */
  probed(slot: number): ProbedServer {
    const pointer = this.#pointer;
    this.locate(slot, pointer);
    return probedServerAt(this.#gameAt(pointer).id, pointer);
  }

  /**
   * Adds a server that is not in the table. `value`: its record, encoded as in the storage engine. Returns the server's
   * slot.
   */
  insert(key: string, value: Buffer): number {
    if (key.length > MAX_KEY)
      throw new RangeError(`a key of ${key.length} characters is longer than ${MAX_KEY}`);
    const space = key.indexOf(' ');
    const game = this.#games.getOrAdd(key.slice(0, space));
    const length = this.#address.write(key.slice(space + 1));
    const hash = game.hash.hash(this.#address, 0, length);
    const position = this.#arena.allocate(value.length + length);
    const slot = this.#positions.addPosition(position);
    const pointer = this.#pointer;
    this.locate(slot, pointer);
    const { bytes, view, at } = pointer;
    value.copy(bytes, at, 0, IN_MEMORY);
    view.setInt32(at + HASH.at, hash, true);
    view.setUint16(at + ADDRESS_LENGTH.at, length, true);
    view.setUint16(at + GAME.at, game.number, true);
    view.setUint32(at + SLOT.at, slot, true);
    this.#address.copy(bytes, at + HEADER, 0, length);
    value.copy(bytes, at + HEADER + length, HEADER);
    game.servers++;
    this.#size++;
    this.#index.addPosition(hash, position);
    return slot;
  }

  /** Replaces the record of the server with this `slot` by a newer record. */
  replace(slot: number, record: ServerRecord): void {
    const pointer = this.#pointer;
    this.locate(slot, pointer);
    const { bytes, at } = pointer;
    const from = this.#positions.get(slot);
    const dataStart = dataStartAt(pointer) - at;
    const byteLength = dataStart + record.data.length + record.openHour.length;
    if (this.#arena.fits(from, byteLength)) {
      rewriteRecord(pointer, record);
      return;
    }
    const to = this.#arena.allocate(byteLength);
    this.#positions.set(slot, to);
    this.locate(slot, pointer);
    bytes.copy(pointer.bytes, pointer.at, at, at + dataStart);
    rewriteRecord(pointer, record);
    this.#index.move(hashAt(pointer), from, to);
    this.#arena.free(from);
  }

  remove(slot: number): void {
    const pointer = this.#pointer;
    this.locate(slot, pointer);
    const position = this.#positions.get(slot);
    const game = this.#gameAt(pointer);
    this.#index.remove(hashAt(pointer), position);
    this.#positions.free(slot);
    this.#arena.free(position);
    this.#size--;
    this.#games.removeServer(game);
  }

  /**
   * Yields the row (slot) of every server in the table, in ascending order. The table can change while the caller reads
   * the rows. The rows of servers that are inserted during this time can be missing.
   */
  slots(): Generator<number> {
    return this.#positions.slots();
  }

  #gameAt({ view, at }: RecordPointer): NumberedGame {
    return this.#games.ofNumber(view.getUint16(at + GAME.at, true));
  }

  #recordMoved(from: number, to: number, pointer: RecordPointer): void {
    this.#positions.set(slotAt(pointer), to);
    this.#index.move(hashAt(pointer), from, to);
  }
}

function hashAt({ view, at }: RecordPointer): number {
  return view.getInt32(at + HASH.at, true);
}

/** True if the record at this pointer is the record of the server with this game and this address. */
function isOf(
  { bytes, view, at }: RecordPointer,
  game: number,
  text: Uint8Array,
  start: number,
  end: number,
): boolean {
  if (view.getUint16(at + ADDRESS_LENGTH.at, true) !== end - start) return false;
  if (view.getUint16(at + GAME.at, true) !== game) return false;
  for (let i = start, j = at + HEADER; i < end; i++, j++) if (bytes[j] !== text[i]) return false;
  return true;
}
