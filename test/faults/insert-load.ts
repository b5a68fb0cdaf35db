import { setTimeout as pause } from 'node:timers/promises';
import { Metadata } from '@grpc/grpc-js';
import { clients, credentialKeys } from '../../proto/clients.ts';
import type { FetchServersResponse__Output } from '../../proto/generated/gsq/v1/FetchServersResponse.ts';
import { unary } from '../core/rpc/answer.ts';
import { bootstrap } from '../system/stack-settings.ts';
import type { CoreProcess } from './core-process.ts';
import type { History } from './history.ts';

const GAME = 'csgo';
const DEADLINE_MS = 20_000;
/**
 * Number of new pairs of game and address in each request. Each request also contains `OLD` pairs from earlier
 * requests.
 */
const NEW = 20;
const OLD = 5;
/** Pause of a caller with `goesOn` before it repeats a failed fetch, in milliseconds. */
const REPEAT_MS = 50;

const metadata = new Metadata();
metadata.set(credentialKeys.token, bootstrap.token);
metadata.set(credentialKeys.tier, bootstrap.tier);
metadata.set(credentialKeys.email, bootstrap.email);

/** Options of the concurrent callers of an `InsertLoad`. */
export interface LoadOptions {
  /** Number of concurrent callers. The default is 8. */
  callers?: number;
  /** Number of new pairs of game and address in each request. The default is `NEW`. */
  fresh?: number;
  /** Pause of a caller after each answer, in milliseconds. The default is 0. */
  pauseMs?: number;
  /** If true, a caller repeats a failed fetch until `stop`. The default is false: the caller ends. */
  goesOn?: boolean;
  /** Called with the pairs that the core has acknowledged as inserted, for each answer that contains any. */
  onInserted?(pairs: readonly string[]): void;
}

/**
 * Concurrent callers that continuously fetch new and old pairs of game and address from one core. They record the
 * result of each fetch.
 */
export class InsertLoad {
  readonly #history: History;
  readonly #client: ReturnType<typeof clients.server>;
  readonly #random: (below: number) => number;
  readonly #pairs: string[];
  readonly #options: LoadOptions;
  #stopped = false;
  #done: Promise<unknown> = Promise.resolve();
  /** Number of inserts of the concurrent callers that the core has acknowledged so far. */
  acknowledged = 0;
  /** Number of fetches of the concurrent callers that the core has answered so far. */
  answers = 0;

  private constructor(
    history: History,
    address: string,
    pairs: string[],
    random: (below: number) => number,
    options: LoadOptions,
  ) {
    this.#options = options;
    this.#history = history;
    this.#client = clients.server(address);
    this.#pairs = pairs;
    this.#random = random;
  }

  /**
   * Starts the concurrent callers of a core. `pairs`: all pairs of game and address that were requested so far. The
   * callers append their new pairs.
   */
  static async start(
    core: CoreProcess,
    history: History,
    pairs: string[],
    random: (below: number) => number,
    options: LoadOptions = {},
  ): Promise<InsertLoad> {
    const load = new InsertLoad(history, await core.address('GSQ_GRPC_ADDR'), pairs, random, options);
    load.#done = Promise.all(Array.from({ length: options.callers ?? 8 }, () => load.#call()));
    return load;
  }

  /** Lets the concurrent callers end after their present fetches. Resolves when they have ended. */
  async finish(): Promise<void> {
    this.#stopped = true;
    await this.#done;
  }

  /** Stops the concurrent callers. Resolves when every fetch has ended. */
  async stop(): Promise<void> {
    await this.finish();
    this.#client.close();
  }

  async #call(): Promise<void> {
    const { fresh = NEW, pauseMs = 0, goesOn = false } = this.#options;
    while (!this.#stopped) {
      const asked = Array.from({ length: fresh }, () => this.#newPair());
      for (let i = 0; i < OLD; i++) asked.push(this.#pairs[this.#random(this.#pairs.length)] ?? '');
      const servers = [...new Set(asked)];
      while (!(await this.fetch(servers))) {
        if (!goesOn || this.#stopped) return;
        await pause(REPEAT_MS);
      }
      if (pauseMs > 0) await pause(pauseMs);
    }
  }

  /** Returns a new loopback address without a game server. No prober runs in these tests, so gsq does not probe it. */
  #newPair(): string {
    const n = this.#pairs.length;
    const pair = `127.${64 + (n >> 16)}.${(n >> 8) & 255}.${n & 255}:30000`;
    this.#pairs.push(pair);
    return pair;
  }

  /**
   * Fetches pairs of game and address, and records the results. Resolves to false if the core sends no answer or an
   * error.
   */
  async fetch(servers: readonly string[]): Promise<boolean> {
    const began = this.#history.moment();
    try {
      const answer = await unary<FetchServersResponse__Output>(done =>
        this.#client.fetchServers(
          { servers: [{ gameId: GAME, servers: [...servers] }] },
          metadata,
          { deadline: Date.now() + DEADLINE_MS },
          done,
        ),
      );
      const inserted = new Set(answer.meta?.insertedServers.map(({ server }) => server));
      const refused = new Map(answer.meta?.invalidServers.map(({ server, reason }) => [server, reason]));
      for (const server of servers) {
        const reason = refused.get(server);
        if (reason !== undefined && reason !== 'insert_quota')
          throw new Error(`${server} is refused: ${reason}`);
        this.#history.add(server, began, reason ? 'refused' : inserted.has(server) ? 'inserted' : 'known');
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
