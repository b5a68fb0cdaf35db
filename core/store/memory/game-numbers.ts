import { randomBytes } from 'node:crypto';
import { HalfSipHash } from './half-sip-hash.ts';

const MAX_GAMES = 0x10000;

/** A game with at least one server. */
export interface NumberedGame {
  readonly id: string;
  readonly number: number;
  /** Hashes addresses. Its key is random, because callers choose the addresses. */
  readonly hash: HalfSipHash;
  servers: number;
}

/** Gives each game that has servers a number of 16 bits. Numbers of games without servers are given again. */
export class GameNumbers {
  readonly #byId = new Map<string, NumberedGame>();
  /** By number; undefined if a number is free. */
  readonly #byNumber: (NumberedGame | undefined)[] = [];

  get(id: string): NumberedGame | undefined {
    return this.#byId.get(id);
  }

  /** Throws RangeError if no game has the number. */
  ofNumber(number: number): NumberedGame {
    const game = this.#byNumber[number];
    if (!game) throw new RangeError(`no game has the number ${number}`);
    return game;
  }

  /** The game of an id, with a number. Throws RangeError if there are too many games. */
  getOrAdd(id: string): NumberedGame {
    return this.#byId.get(id) ?? this.#addGame(id);
  }

  /** Counts a server of a game less. */
  removeServer(game: NumberedGame): void {
    if (--game.servers > 0) return;
    this.#byId.delete(game.id);
    this.#byNumber[game.number] = undefined;
  }

  #addGame(id: string): NumberedGame {
    const free = this.#byNumber.indexOf(undefined);
    const number = free < 0 ? this.#byNumber.length : free;
    if (number >= MAX_GAMES)
      throw new RangeError(`the table holds servers of ${MAX_GAMES} games, the most it can`);
    const key = randomBytes(8);
    const game = { id, number, hash: new HalfSipHash(key.readInt32LE(0), key.readInt32LE(4)), servers: 0 };
    this.#byId.set(id, game);
    this.#byNumber[number] = game;
    return game;
  }
}
