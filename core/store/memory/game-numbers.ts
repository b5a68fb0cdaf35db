import { randomBytes } from 'node:crypto';
import { HalfSipHash } from './half-sip-hash.ts';

const MAX_GAMES = 0x10000;

/** A game with at least one tracked server. `number`: the 16-bit number that `GameNumbers` has assigned to the game. */
export interface NumberedGame {
  readonly id: string;
  readonly number: number;
  /**
   * Hash function for the addresses of this game. Its key is random, because callers choose the addresses. With a known
   * key they could choose addresses whose hashes collide.
   */
  readonly hash: HalfSipHash;
  servers: number;
}

/**
 * Assigns a 16-bit number to each game with servers. When a game loses its last server, another game can get its
 * number.
 */
export class GameNumbers {
  readonly #byId = new Map<string, NumberedGame>();
  /**
   * The games with tracked servers; the array index is the number of the game. An element is undefined if no game has
   * this number.
   */
  readonly #byNumber: (NumberedGame | undefined)[] = [];

  get(id: string): NumberedGame | undefined {
    return this.#byId.get(id);
  }

  /** Returns the game to which this number is assigned. Throws RangeError if there is no such game. */
  ofNumber(number: number): NumberedGame {
    const game = this.#byNumber[number];
    if (!game) throw new RangeError(`no game has the number ${number}`);
    return game;
  }

  /**
   * Returns the game with this id. If the game is new, adds it and assigns a number to it. Throws RangeError if there
   * are too many games.
   */
  getOrAdd(id: string): NumberedGame {
    return this.#byId.get(id) ?? this.#addGame(id);
  }

  /** Decreases the number of servers of a game. Removes the game after its last server. */
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
