import type { HttpLoad, HttpLoadResult } from './http-load.ts';
import type { Asking } from './requests.ts';
import { aroundCpu, type Throughput, throughputOf } from './throughput.ts';
import { Worker } from './worker.ts';
import { runWrk, wrkVersion } from './wrk.ts';

const OWN = new URL('./http-load.ts', import.meta.url);

export interface ClosedLoad {
  /** `host:port`. */
  address: string;
  asking: Asking;
  connections: number;
  seconds: number;
  /** Process ids of who answers, by name. */
  servers: Readonly<Record<string, number>>;
}

/** What sends requests: wrk for closed loops where it is on PATH, our own process for all else. */
export class LoadGenerator {
  readonly #own: Worker<HttpLoad, HttpLoadResult>;
  readonly #wrk: string | undefined;

  private constructor(own: Worker<HttpLoad, HttpLoadResult>, wrk: string | undefined) {
    this.#own = own;
    this.#wrk = wrk;
  }

  static async start(): Promise<LoadGenerator> {
    return new LoadGenerator(await Worker.start<HttpLoad, HttpLoadResult>(OWN), await wrkVersion());
  }

  /** What closed loops are sent with. */
  get name(): string {
    return this.#wrk ?? 'test/bench/http-load.ts';
  }

  /** A load by our own generator, whatever the answers are. */
  run(load: HttpLoad): Promise<HttpLoadResult> {
    return this.#own.ask(load);
  }

  /** A closed loop. Rejects where not all is answered 200. */
  async throughput(load: ClosedLoad): Promise<Throughput> {
    const { servers, ...rest } = load;
    const { result, cpu } = await aroundCpu(servers, () => (this.#wrk ? runWrk(rest) : this.#ownLoop(rest)));
    return throughputOf(result.answers, result.seconds, { ...cpu, load: result.cpu });
  }

  async #ownLoop(load: HttpLoad): Promise<{ answers: number; seconds: number; cpu: number | undefined }> {
    const result = await this.run(load);
    const faults = allButOk(result);
    if (faults > 0) throw new Error(`${faults} requests were not answered 200 (${result.otherStatus})`);
    return { answers: result.ok, seconds: result.seconds, cpu: result.cpu };
  }

  stop(): Promise<void> {
    return this.#own.stop();
  }
}

/** Requests that were not answered 200. */
export function allButOk(result: HttpLoadResult): number {
  const { refused, other, notConnected, broken, unsent, unanswered } = result;
  return refused + other + notConnected + broken + unsent + unanswered;
}
