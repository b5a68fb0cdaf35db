import assert from 'node:assert/strict';
import { setTimeout as pause } from 'node:timers/promises';
import { metaIn, postFetch } from '../contract/rest.ts';
import type { Answer } from '../gateway/ask.ts';
import { until } from '../system/until.ts';

const GAME = 'rust';
const BETWEEN_CALLS_MS = 10;

/** Callers of a gateway: one fetches known servers, and one inserts new servers, both at a steady pace. */
export class OnlineLoad {
  readonly #http: string;
  readonly #known: readonly string[];
  /** Addresses of the servers whose insert the gateway acknowledged. */
  readonly acknowledged: string[] = [];
  /** One text for each failed fetch of a known server: the HTTP status and the error code, or `no answer`. */
  readonly failed: string[] = [];
  /**
   * One text for each failed insert. If gsq refused the server: the reason. If gsq refused the request: the status and
   * the error code. Without an answer: `no answer`.
   */
  readonly refused: string[] = [];
  fetched = 0;
  /** Time from the first to the last failed fetch, in milliseconds. */
  gapMs = 0;
  #gapBegan = 0;
  #next = 0;
  #isStopped = false;
  readonly #done: Promise<unknown>;

  /**
   * `http`: address of the gateway. `known`: addresses of tracked servers. `prefix`: the text with which each new
   * address begins.
   */
  constructor(http: string, known: readonly string[], prefix: string) {
    this.#http = http;
    this.#known = known;
    const fetching = this.#repeat(i => this.#fetch(this.#known[i % this.#known.length] ?? ''));
    this.#done = Promise.all([fetching, this.#repeat(() => this.#insert(prefix))]);
  }

  /** Waits until `count` more inserts are acknowledged. */
  async more(count: number): Promise<void> {
    const wanted = this.acknowledged.length + count;
    const has = (found: number): boolean => found >= wanted;
    await until(`${wanted} inserts`, () => this.acknowledged.length, has, 60_000);
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    await this.#done;
  }

  async #repeat(call: (i: number) => Promise<void>): Promise<void> {
    for (let i = 0; !this.#isStopped; i++) {
      await call(i);
      await pause(BETWEEN_CALLS_MS);
    }
  }

  async #fetch(address: string): Promise<void> {
    const began = performance.now();
    const answer = await call(this.#http, address);
    this.fetched++;
    if (answer?.status === 200) return;
    if (this.#gapBegan === 0) this.#gapBegan = began;
    this.gapMs = performance.now() - this.#gapBegan;
    this.failed.push(answer ? `${answer.status} ${answer.json.error}` : 'no answer');
  }

  async #insert(prefix: string): Promise<void> {
    const i = this.#next++;
    const address = `${prefix}.${i >> 8}.${i & 255}:28015`;
    const answer = await call(this.#http, address);
    if (answer?.status !== 200) {
      this.refused.push(answer ? `${answer.status} ${answer.json.error}` : 'no answer');
      return;
    }
    const { inserted_servers: inserted, invalid_servers: invalid } = metaIn(answer);
    if (inserted.length > 0) this.acknowledged.push(address);
    else this.refused.push(invalid[0]?.reason ?? 'neither inserted nor invalid');
  }
}

async function call(http: string, address: string): Promise<Answer | undefined> {
  return postFetch(http, [{ game_id: GAME, servers: [address] }]).catch(() => undefined);
}

/** Checks that gsq tracks the servers at these addresses: a fetch of the addresses must insert no server. */
export async function checkKnown(http: string, addresses: readonly string[]): Promise<void> {
  for (let from = 0; from < addresses.length; from += 500) {
    const servers = addresses.slice(from, from + 500);
    const answer = await until(
      'an answer',
      () => postFetch(http, [{ game_id: GAME, servers }]),
      ({ status }) => status === 200,
    );
    const { inserted_servers: lost } = answer.json._meta as { inserted_servers: unknown[] };
    assert.deepEqual(lost, [], `${lost.length} acknowledged inserts are lost`);
  }
}
