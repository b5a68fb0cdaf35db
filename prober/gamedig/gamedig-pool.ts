import { isIPv6 } from 'node:net';
import type { TargetPolicy } from '../../proto/targets.ts';
import type { Answer, Endpoint } from '../transport/answer.ts';
import { Slots } from '../transport/slots.ts';
import type { TimerWheel } from '../transport/timer-wheel.ts';
import type { GamedigAccess } from './access.ts';
import { GamedigWorker } from './gamedig-worker.ts';

/** Beyond this, gamedig hands every datagram to too many queries at once and loses them. */
const IN_FLIGHT_A_WORKER = 16;
const IN_LINE = 256;

export interface GamedigPoolOptions {
  wheel: TimerWheel;
  /** Worker threads at most; each starts with the first query that needs it. */
  workers: number;
  /** Told when a worker had to be replaced. */
  warn: (message: string) => void;
  /** Which name servers know where directories are, as `Resolver` takes them. */
  dnsServers?: readonly string[];
  /** What the workers run. */
  script?: URL;
}

/** gamedig for the protocols without a module of their own, where it can do no harm. */
export class GamedigPool {
  readonly #options: GamedigPoolOptions;
  readonly #slots: Slots;
  readonly #workers = new Set<GamedigWorker>();
  #closed = false;

  constructor(options: GamedigPoolOptions) {
    this.#options = options;
    this.#slots = new Slots(options.workers * IN_FLIGHT_A_WORKER, IN_LINE);
  }

  /** `game` is gamedig's name for it; `policy` says where the directory may be that it is looked up in. Never rejects. */
  async ask(
    game: string,
    endpoint: Endpoint,
    timeoutMs: number,
    policy?: TargetPolicy,
    access?: GamedigAccess,
  ): Promise<Answer> {
    // gamedig's one UDP socket is IPv4, and it builds URLs without brackets.
    if (isIPv6(endpoint.address)) return { kind: 'fault', detail: 'gamedig cannot ask IPv6 addresses' };
    if (!(await this.#slots.acquire())) return { kind: 'fault', detail: 'too many gamedig queries in line' };
    try {
      if (this.#closed) return { kind: 'fault', detail: 'closed' };
      return await this.#leastBusy().ask(game, endpoint, timeoutMs, policy, access);
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

  #leastBusy(): GamedigWorker {
    const [best] = [...this.#workers]
      .filter(worker => !worker.isOver)
      .sort((a, b) => a.inFlight - b.inFlight);
    if (best && (best.inFlight === 0 || this.#workers.size >= this.#options.workers)) return best;
    const worker = new GamedigWorker(
      this.#options.script ?? new URL('./worker.ts', import.meta.url),
      this.#options.wheel,
      { dnsServers: this.#options.dnsServers ?? [] },
    );
    this.#workers.add(worker);
    worker.ended.then(reason => {
      this.#workers.delete(worker);
      if (!this.#closed) this.#options.warn(`a gamedig worker ${reason} and will be replaced`);
    });
    return worker;
  }
}
