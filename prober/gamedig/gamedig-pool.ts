import { isIPv6 } from 'node:net';
import { type Answer, type Endpoint, NO_ROOM } from '../answers/answer.ts';
import { QueryThread } from '../threads/query-thread.ts';
import type { TimerWheel } from '../timing/timer-wheel.ts';
import { Slots } from '../transport/slots.ts';
import type { GamedigAccess } from './access.ts';
import type { GamedigQuestion } from './messages.ts';

/**
 * Maximum number of concurrent gamedig queries in one worker thread. With more queries gamedig loses replies, because
 * it delivers every datagram to all running queries.
 */
const IN_FLIGHT_A_WORKER = 16;
const IN_LINE = 256;
const MEMORY_MB = 192;

export interface GamedigPoolOptions {
  wheel: TimerWheel;
  /** Maximum number of worker threads for gamedig. A thread is started when a query needs it. */
  workers: number;
  /** Called with a message when a worker thread of gamedig ended unexpectedly and will be replaced. */
  warn: (message: string) => void;
  /** Script that the worker threads run. If it is absent, they run the usual script, `worker.ts`. */
  script?: URL;
}

/**
 * Runs gamedig (an npm package that queries game servers) in worker threads, for protocols that the prober does not
 * implement itself.
 */
export class GamedigPool {
  readonly #options: GamedigPoolOptions;
  readonly #slots: Slots;
  readonly #workers = new Set<QueryThread<GamedigQuestion>>();
  #closed = false;

  constructor(options: GamedigPoolOptions) {
    this.#options = options;
    this.#slots = new Slots(options.workers * IN_FLIGHT_A_WORKER, IN_LINE);
  }

  /**
   * Queries one game server with gamedig. Never rejects.
   *
   * - `game`: id of the game in gamedig.
   * - `mayStart`: resolves to true if the rate limits allow the packets of the query. If it resolves to false, the
   *   query ends. Called only when a worker thread is free. If it were called earlier, allowed queries could wait for a
   *   worker and then send their packets all at the same moment.
   */
  async ask(
    game: string,
    endpoint: Endpoint,
    timeoutMs: number,
    access?: GamedigAccess,
    mayStart: () => Promise<boolean> = async () => true,
  ): Promise<Answer> {
    // gamedig cannot query IPv6 addresses: its only UDP socket is an IPv4 socket, and it builds URLs without brackets.
    if (isIPv6(endpoint.address)) return { kind: 'fault', detail: 'gamedig cannot ask IPv6 addresses' };
    const { wheel } = this.#options;
    const latest = wheel.now() + timeoutMs;
    if (!(await this.#slots.acquire())) return { kind: 'fault', detail: 'too many gamedig queries in line' };
    try {
      if (wheel.now() > latest) return { kind: 'fault', detail: 'waited too long for a gamedig worker' };
      if (!(await mayStart())) return NO_ROOM;
      if (this.#closed) return { kind: 'fault', detail: 'closed' };
      return await this.#leastBusy().ask({ game, endpoint, timeoutMs, access }, timeoutMs);
    } finally {
      this.#slots.release();
    }
  }

  /**
   * Stops all worker threads of gamedig. Every open query then fails with a local error, which does not count against
   * the server.
   */
  async close(): Promise<void> {
    this.#closed = true;
    const workers = [...this.#workers];
    for (const worker of workers) worker.stop('was closed');
    await Promise.all(workers.map(worker => worker.ended));
  }

  #leastBusy(): QueryThread<GamedigQuestion> {
    const [best] = [...this.#workers]
      .filter(worker => !worker.isOver)
      .sort((a, b) => a.inFlight - b.inFlight);
    if (best && (best.inFlight === 0 || this.#workers.size >= this.#options.workers)) return best;
    const worker = new QueryThread<GamedigQuestion>({
      script: this.#options.script ?? new URL('./worker.ts', import.meta.url),
      wheel: this.#options.wheel,
      workerData: {},
      memoryMb: MEMORY_MB,
    });
    this.#workers.add(worker);
    worker.ended.then(reason => {
      this.#workers.delete(worker);
      if (!this.#closed) this.#options.warn(`a gamedig worker ${reason} and will be replaced`);
    });
    return worker;
  }
}
