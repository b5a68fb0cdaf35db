import assert from 'node:assert/strict';
import type { RedisStore } from '../../core/store/redis/redis-store.ts';
import { until } from '../system/until.ts';
import { insert } from './redis-stores.ts';

const WORKERS = 20;

/**
 * Inserts entries into a store without a pause, until `stop` is called. Remembers which inserts the store has
 * acknowledged.
 */
export class AcknowledgedInserts {
  readonly #store: RedisStore;
  readonly #value: string;
  readonly #acknowledged: string[] = [];
  #refused = 0;
  #isStopped = false;
  #recovering: Promise<unknown> | undefined;
  readonly #workers: Promise<void>[];

  /** `bytes`: length of each value that is inserted into the store. */
  constructor(store: RedisStore, bytes = 100) {
    this.#store = store;
    this.#value = 'x'.repeat(bytes);
    this.#workers = Array.from({ length: WORKERS }, (_, worker) => this.#run(worker));
  }

  /** Number of inserts that the store under test has refused. */
  get refused(): number {
    return this.#refused;
  }

  /** Waits until the store has acknowledged `count` more inserts. */
  async more(count: number): Promise<void> {
    const wanted = this.#acknowledged.length + count;
    await until(
      `${wanted} inserts`,
      () => this.#acknowledged.length,
      found => found >= wanted,
    );
  }

  /**
   * Stops the inserts. Checks that the store contains each acknowledged insert. Returns the number of acknowledged
   * inserts.
   */
  async stop(): Promise<number> {
    this.#isStopped = true;
    await Promise.all(this.#workers);
    await this.#checkStored();
    return this.#acknowledged.length;
  }

  async #run(worker: number): Promise<void> {
    for (let i = 0; !this.#isStopped; i++) {
      const key = `s/csgo 10.${worker}.${i >> 8}.${i & 255}:1`;
      try {
        await this.#store.insertIfAbsent([insert(key, this.#value)]);
        this.#acknowledged.push(key);
      } catch {
        this.#refused++;
        this.#recovering ??= this.#recover();
        await this.#recovering;
      }
    }
  }

  /** Tries to recover the store until this succeeds, like StoreSupervisor in a core. */
  async #recover(): Promise<void> {
    const compare = async () => {
      await this.#checkStored();
      return [];
    };
    const recover = () => this.#store.recover(compare).then(() => this.#store.failed);
    await until(
      'a recovery',
      () => recover().catch(String),
      failed => failed === false,
    );
    this.#recovering = undefined;
  }

  /**
   * Checks that Redis or Valkey has each acknowledged insert. Must run before `recover`, which writes lost inserts
   * again from the memory of the store.
   */
  async #checkStored(): Promise<void> {
    const acknowledged = [...this.#acknowledged];
    const stored = new Set<string>();
    await this.#store.readAll('s/', key => void stored.add(key));
    const lost = acknowledged.filter(key => !stored.has(key));
    assert.equal(lost.length, 0, `${lost.length} acknowledged inserts are lost, the first is ${lost[0]}`);
  }
}
