import { setTimeout as pause } from 'node:timers/promises';
import type { FetchClient } from './fetch-client.ts';
import type { History } from './history.ts';

/**
 * Number of new pairs of game and address in each request. Each request also contains `OLD` pairs from earlier
 * requests.
 */
const NEW = 20;
const OLD = 5;
/** With the option `races`, each request also repeats random servers from this many that were requested last. */
const NEWEST = 30;
/** Pause before a caller repeats a failed fetch, in milliseconds. */
const REPEAT_MS = 50;

/** Options of the concurrent callers of an `InsertLoad`. */
export interface LoadOptions {
  /** Number of concurrent callers. The default is 8. */
  callers?: number;
  /** Number of new pairs of game and address in each request. The default is 20. */
  fresh?: number;
  /** Pause of a caller after each answer, in milliseconds. The default is 0. */
  pauseMs?: number;
  /**
   * If true, a caller repeats a failed fetch until it succeeds or the load is stopped. If false (the default), the
   * caller ends.
   */
  goesOn?: boolean;
  /**
   * If true, each caller also requests the newest pairs (of game and address) of the other callers. Several fetches
   * then insert the same pair at the same time. The default is false.
   */
  races?: boolean;
  /**
   * If true, a refused insert is recorded as `unknown` instead of `refused`. Tests with power cuts need this: after a
   * power cut, the server can be on disk although its insert was refused. The default is false.
   */
  areRefusedPerhapsStored?: boolean;
  /** Called for each answer with acknowledged inserts. `pairs`: the inserted pairs of game and address. */
  onInserted?(pairs: readonly string[]): void;
}

/**
 * Concurrent callers that continuously fetch new and old pairs of game and address over one `FetchClient`. They
 * record the result of each fetch.
 */
export class InsertLoad {
  readonly #history: History;
  readonly #client: FetchClient;
  readonly #random: (below: number) => number;
  readonly #pairs: string[];
  readonly #options: LoadOptions;
  #stopped = false;
  readonly #done: Promise<unknown>;
  /** Number of inserts that the service has acknowledged so far, for all concurrent callers together. */
  acknowledged = 0;
  /** Number of fetches that the service has answered so far, for all concurrent callers together. */
  answers = 0;

  /**
   * Starts the concurrent callers. `client`: the client for all their fetches; `stop` closes it. `pairs`: all pairs of
   * game and address that were requested so far. The callers append new pairs to `pairs`.
   */
  constructor(
    client: FetchClient,
    history: History,
    pairs: string[],
    random: (below: number) => number,
    options: LoadOptions = {},
  ) {
    this.#options = options;
    this.#history = history;
    this.#client = client;
    this.#pairs = pairs;
    this.#random = random;
    this.#done = Promise.all(Array.from({ length: options.callers ?? 8 }, () => this.#call()));
  }

  /** Ends the concurrent callers after their current fetches. Resolves when all callers have ended. */
  async finish(): Promise<void> {
    this.#stopped = true;
    await this.#done;
  }

  /** Ends the concurrent callers after their current fetches, and closes their client. */
  async stop(): Promise<void> {
    await this.finish();
    this.#client.close();
  }

  async #call(): Promise<void> {
    const { fresh = NEW, pauseMs = 0, goesOn = false, races = false } = this.#options;
    while (!this.#stopped) {
      const asked = Array.from({ length: fresh }, () => this.#newPair());
      for (let i = 0; i < OLD; i++) asked.push(this.#oldPair(this.#pairs.length));
      for (let i = 0; races && i < OLD; i++) asked.push(this.#oldPair(NEWEST));
      const servers = [...new Set(asked)];
      while (!(await this.fetch(servers))) {
        if (!goesOn || this.#stopped) return;
        await pause(REPEAT_MS);
      }
      if (pauseMs > 0) await pause(pauseMs);
    }
  }

  /**
   * Returns a random pair of game and address that was requested before. Chooses only from the last `newest` pairs that
   * were added.
   */
  #oldPair(newest: number): string {
    const { length } = this.#pairs;
    return this.#pairs[length - 1 - this.#random(Math.min(newest, length))] ?? '';
  }

  /** Returns a loopback address that was not requested before, and at which no game server runs. */
  #newPair(): string {
    const n = this.#pairs.length;
    const pair = `127.${64 + (n >> 16)}.${(n >> 8) & 255}.${n & 255}:30000`;
    this.#pairs.push(pair);
    return pair;
  }

  /**
   * Fetches pairs of game and address, and records the result of each pair. Resolves to false if gsq sends no answer or
   * an error.
   */
  async fetch(servers: readonly string[]): Promise<boolean> {
    const began = this.#history.moment();
    const refusal = this.#options.areRefusedPerhapsStored ? 'unknown' : 'refused';
    try {
      const { inserted, refused } = await this.#client.fetch(servers);
      for (const server of servers) {
        const reason = refused.get(server);
        if (reason !== undefined && reason !== 'insert_quota')
          throw new Error(`${server} is refused: ${reason}`);
        this.#history.add(server, began, reason ? refusal : inserted.has(server) ? 'inserted' : 'known');
      }
      this.acknowledged += inserted.size;
      if (inserted.size > 0) this.#options.onInserted?.([...inserted]);
      this.answers++;
      return true;
    } catch (error) {
      if (error instanceof Error && !('code' in error)) throw error;
      for (const server of servers) this.#history.add(server, began, 'unknown');
      return false;
    }
  }
}
