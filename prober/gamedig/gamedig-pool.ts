import { isIPv6 } from 'node:net';
import type { Answer, Endpoint } from '../answers/answer.ts';
import { QueryThread } from '../threads/query-thread.ts';
import type { TimerWheel } from '../timing/timer-wheel.ts';
import { Slots } from '../transport/slots.ts';
import type { GamedigAccess } from './access.ts';
import type { GamedigQuestion } from './messages.ts';

/** With more queries at once gamedig hands every datagram to too many of them and loses replies. */
const IN_FLIGHT_A_WORKER = 16;
const IN_LINE = 256;
const MEMORY_MB = 192;

export interface GamedigPoolOptions {
  wheel: TimerWheel;
  /** Most worker threads; each one starts with the first query that needs it. */
  workers: number;
  /** Receives a message when a worker had to be replaced. */
  warn: (message: string) => void;
  /** The script that workers run. */
  script?: URL;
}

/** Runs gamedig in worker threads, for the protocols that the prober has no module for. */
export class GamedigPool {
  readonly #options: GamedigPoolOptions;
  readonly #slots: Slots;
  readonly #workers = new Set<QueryThread<GamedigQuestion>>();
  #closed = false;

  constructor(options: GamedigPoolOptions) {
    this.#options = options;
    this.#slots = new Slots(options.workers * IN_FLIGHT_A_WORKER, IN_LINE);
  }

  /** `game` is gamedig's id of the game. Never rejects. */
  async ask(game: string, endpoint: Endpoint, timeoutMs: number, access?: GamedigAccess): Promise<Answer> {
    // gamedig cannot ask IPv6: its one UDP socket is IPv4, and it builds URLs without brackets.
    if (isIPv6(endpoint.address)) return { kind: 'fault', detail: 'gamedig cannot ask IPv6 addresses' };
    if (!(await this.#slots.acquire())) return { kind: 'fault', detail: 'too many gamedig queries in line' };
    try {
      if (this.#closed) return { kind: 'fault', detail: 'closed' };
      return await this.#leastBusy().ask({ game, endpoint, timeoutMs, access }, timeoutMs);
    } finally {
      this.#slots.release();
    }
  }

  /** Ends every query as a fault of ours. */
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
