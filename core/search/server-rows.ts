import { randomBytes } from 'node:crypto';
import { HalfSipHash } from '../store/memory/half-sip-hash.ts';
import type { ChangeSink, Facts } from './change-batch.ts';
import { shortened } from './folded-text.ts';
import { KeyIndex } from './key-index.ts';
import {
  FACTS,
  factBits,
  foldedBytes,
  lettersOf,
  MOST,
  mapLetters,
  signatureOf,
  textHash,
} from './row-facts.ts';
import { TextNumbers } from './text-numbers.ts';
import { offsetOf, pageIndexOf, TextPages } from './text-pages.ts';

/**
 * Length of the header of a cell, in bytes. A cell is a byte string with all texts of one server. The header contains
 * the length of each text.
 */
export const CELL_HEADER = 6;
/**
 * The columns of the search index grow by this factor when they are full. Doubling would waste up to half of their
 * memory.
 */
const GROWTH = 1.15;
const LEAST_ROWS = 1024;

/**
 * The searchable fields of all tracked servers, as packed columns. Each row is one server, and no row is empty. The
 * texts of a server are together in one byte string (cell).
 */
export class ServerRows implements ChangeSink {
  readonly games = new TextNumbers();
  /** Maps the id of each token that has inserted servers to a number. The column `tokenOf` contains these numbers. */
  readonly tokens = new TextNumbers();
  readonly texts = new TextPages();
  /**
   * Column of the search index: 32 bits for each server. These bits contain the server's status, players and flags,
   * and parts of the hashes of its map and version (`FACTS`).
   */
  facts: Uint32Array;
  gameOf: Uint16Array;
  tokenOf: Uint32Array;
  /**
   * Column of the search index with 32 bits for each server: the first letters of the words in its name (`lettersOf`),
   * and a part of its map hash (`mapLetters`).
   */
  letters: Int32Array;
  /** Column of the search index: for each server, a 32-bit signature of the words in its name (`signatureOf`). */
  signatures: Int32Array;
  /** Column of the search index: for each server, the offset of its texts (a byte string called cell) in `texts`. */
  cells: Uint32Array;
  /** Number of servers in the search index. */
  size = 0;
  readonly #hash = new HalfSipHash(randomBytes(4).readInt32LE(), randomBytes(4).readInt32LE());
  readonly #index: KeyIndex;
  readonly #cell = Buffer.alloc(2048);

  /**
   * Creates an empty search index with memory for `servers` servers. If the memory grew in small steps instead, the
   * discarded arrays would together be seven times as large as the final index.
   */
  constructor(servers: number) {
    const length = Math.max(LEAST_ROWS, Math.ceil(servers * GROWTH));
    this.facts = new Uint32Array(length);
    this.gameOf = new Uint16Array(length);
    this.tokenOf = new Uint32Array(length);
    this.letters = new Int32Array(length);
    this.signatures = new Int32Array(length);
    this.cells = new Uint32Array(length);
    this.#index = new KeyIndex(row => this.#hashOf(row), servers);
  }

  /** Size of the memory for all servers in the search index, in bytes, including unused space. */
  get bytes(): number {
    const { facts, gameOf, tokenOf, letters, signatures, cells } = this;
    const columns = [facts, gameOf, tokenOf, letters, signatures, cells].reduce(
      (sum, { byteLength }) => sum + byteLength,
      0,
    );
    return columns + this.texts.bytes + this.#index.bytes;
  }

  putServer(
    gameId: string,
    address: string,
    facts: Facts,
    { insertedBy, name, map, version }: { insertedBy: string; name: string; map: string; version: string },
  ): void {
    const game = this.games.getOrAdd(gameId);
    const key = Buffer.from(address);
    const words = foldedBytes(name, 'name');
    const [mapText, versionText] = [foldedBytes(map, 'map'), foldedBytes(version, 'version')];
    const hash = this.#keyHash(game, key, 0, key.length);
    let row = this.#find(game, key, hash);
    const cell = this.#writeCell([words, mapText, versionText, key]);
    if (row < 0) {
      row = this.size++;
      if (row === this.facts.length) this.#grow();
      this.cells[row] = this.texts.addCell(cell);
      this.gameOf[row] = game;
      this.#index.addRow(row, hash);
    } else {
      const before = this.cells[row] as number;
      this.cells[row] = this.texts.addCell(cell);
      this.texts.freeCell(before, this.cellLength(before));
    }
    this.tokenOf[row] = this.tokens.getOrAdd(insertedBy);
    this.letters[row] = lettersOf(words) | mapLetters(mapText);
    this.signatures[row] = signatureOf(words);
    const { mapHash, versionHash } = FACTS;
    this.facts[row] =
      factBits(facts) |
      ((textHash(mapText) & mapHash.max) << mapHash.shift) |
      (textHash(versionText) & versionHash.max);
    this.#compact();
  }

  putFacts(gameId: string, address: string, facts: Facts): void {
    const row = this.#rowOf(gameId, address);
    // Ignores the change if the server has no row yet. While the search index is being filled, rows can be missing. A
    // missing row is added later, with the newest status and players.
    if (row < 0) return;
    const hashes = (this.facts[row] as number) & ((1 << FACTS.isPublic.shift) - 1);
    this.facts[row] = factBits(facts) | hashes;
  }

  removeServer(gameId: string, address: string): void {
    const row = this.#rowOf(gameId, address);
    if (row < 0) return;
    const cell = this.cells[row] as number;
    this.#index.removeRow(row, this.#hashOf(row));
    const last = --this.size;
    if (last !== row) {
      this.#index.renumber(this.#hashOf(last), last, row);
      for (const column of [this.facts, this.gameOf, this.tokenOf, this.letters, this.signatures, this.cells])
        column[row] = column[last] as number;
    }
    this.texts.freeCell(cell, this.cellLength(cell));
    this.#compact();
  }

  /**
   * Returns the length of the byte string (cell) with the texts of one server, in bytes. `position`: position of the
   * cell in `texts`.
   */
  cellLength(position: number): number {
    const page = this.texts.pages[pageIndexOf(position)] as Buffer;
    const at = offsetOf(position);
    return (
      CELL_HEADER +
      wordsLength(page, at) +
      (page[at + 2] as number) +
      (page[at + 3] as number) +
      addressLength(page, at)
    );
  }

  /** Returns the canonical address of the server in a row of the search index. */
  addressOf(row: number): string {
    const position = this.cells[row] as number;
    const page = this.texts.pages[pageIndexOf(position)] as Buffer;
    const end = offsetOf(position) + this.cellLength(position);
    return page.toString('latin1', end - addressLength(page, offsetOf(position)), end);
  }

  /** Returns the words of the normalised name (`foldWords`) of the server in this row of the search index. */
  wordsOf(row: number): string {
    const position = this.cells[row] as number;
    const page = this.texts.pages[pageIndexOf(position)] as Buffer;
    const start = offsetOf(position) + CELL_HEADER;
    return page.toString('utf8', start, start + wordsLength(page, offsetOf(position)));
  }

  /**
   * Adds a temporary row for the last server of the previous result page. The search continues after this row, even if
   * that server was removed. Returns the row number, which is valid until the index changes.
   */
  writeGhostRow(game: number, players: number, words: string, address: string): number {
    if (this.size === this.facts.length) this.#grow();
    const row = this.size;
    const bytes = [
      shortened(Buffer.from(words), MOST.name),
      new Uint8Array(0),
      new Uint8Array(0),
      Buffer.from(address),
    ];
    this.cells[row] = this.texts.writeFirstCell(this.#writeCell(bytes));
    this.gameOf[row] = game;
    this.facts[row] = players * 2 ** FACTS.players.shift;
    return row;
  }

  #rowOf(gameId: string, address: string): number {
    const game = this.games.get(gameId);
    if (game < 0) return -1;
    const key = Buffer.from(address);
    return this.#find(game, key, this.#keyHash(game, key, 0, key.length));
  }

  #find(game: number, key: Buffer, hash: number): number {
    return this.#index.find(hash, row => {
      if (this.gameOf[row] !== game) return false;
      const position = this.cells[row] as number;
      const page = this.texts.pages[pageIndexOf(position)] as Buffer;
      if (addressLength(page, offsetOf(position)) !== key.length) return false;
      const end = offsetOf(position) + this.cellLength(position);
      return key.compare(page, end - key.length, end) === 0;
    });
  }

  #hashOf(row: number): number {
    const position = this.cells[row] as number;
    const page = this.texts.pages[pageIndexOf(position)] as Buffer;
    const end = offsetOf(position) + this.cellLength(position);
    return this.#keyHash(
      this.gameOf[row] as number,
      page,
      end - addressLength(page, offsetOf(position)),
      end,
    );
  }

  #keyHash(game: number, address: Buffer, start: number, end: number): number {
    return this.#hash.hash(address, start, end) ^ Math.imul(game, 0x9e3779b1);
  }

  /**
   * Returns the byte string (cell) that the search index stores for the texts of one server: a header, and then the
   * texts. The next call overwrites the returned buffer.
   */
  #writeCell(texts: readonly Uint8Array[]): Buffer {
    const cell = this.#cell;
    const [words, map, version, address] = texts.map(text => text.length) as [number, number, number, number];
    cell.writeUInt16LE(words, 0);
    cell[2] = map;
    cell[3] = version;
    cell.writeUInt16LE(address, 4);
    let at = CELL_HEADER;
    for (const text of texts) {
      cell.set(text, at);
      at += text.length;
    }
    return cell.subarray(0, at);
  }

  /**
   * Empties the memory page with the most unused bytes, if too many bytes are unused. The texts in the page are moved
   * to other pages. Takes about 1 ms with a million servers.
   */
  #compact(): void {
    const emptied = this.texts.pageToEmpty();
    if (emptied < 0) return;
    const page = this.texts.pages[emptied] as Buffer;
    for (let row = 0; row < this.size; row++) {
      const position = this.cells[row] as number;
      if (pageIndexOf(position) !== emptied) continue;
      const at = offsetOf(position);
      this.cells[row] = this.texts.addCell(page.subarray(at, at + this.cellLength(position)));
    }
    this.texts.emptyPage(emptied);
  }

  #grow(): void {
    const length = Math.ceil(this.facts.length * GROWTH);
    this.facts = grown(this.facts, new Uint32Array(length));
    this.gameOf = grown(this.gameOf, new Uint16Array(length));
    this.tokenOf = grown(this.tokenOf, new Uint32Array(length));
    this.letters = grown(this.letters, new Int32Array(length));
    this.signatures = grown(this.signatures, new Int32Array(length));
    this.cells = grown(this.cells, new Uint32Array(length));
  }
}

/**
 * Returns the length of the normalised name (`foldWords`) of a server, in bytes. `page`: memory page that contains the
 * texts of the server. `at`: offset of these texts in the page.
 */
export function wordsLength(page: Buffer, at: number): number {
  return (page[at] as number) | ((page[at + 1] as number) << 8);
}

/**
 * Returns the length of the address of a server, in bytes. `page`: memory page that contains the texts of the server.
 * `at`: offset of these texts in the page.
 */
export function addressLength(page: Buffer, at: number): number {
  return (page[at + 4] as number) | ((page[at + 5] as number) << 8);
}

function grown<Column extends Uint32Array | Int32Array | Uint16Array>(before: Column, after: Column): Column {
  after.set(before);
  return after;
}
