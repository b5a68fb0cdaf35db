import type { HttpLoad, HttpLoadResult } from './http-load.ts';
import type { LoadRequests } from './requests.ts';
import { aroundCpu, type Throughput, throughputOf } from './throughput.ts';
import { Worker } from './worker.ts';
import { runWrk, wrkVersion } from './wrk.ts';

const OWN = new URL('./http-load.ts', import.meta.url);

export interface ClosedLoad {
  /** `host:port` of the HTTP server that gets the load. */
  address: string;
  requests: LoadRequests;
  connections: number;
  seconds: number;
  /** Process ids of the server processes, keyed by the name of the process. */
  servers: Readonly<Record<string, number>>;
}

/** Sends HTTP load. `throughput` uses the program wrk if it is on PATH. All other methods use http-load.ts. */
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

  /** Name of the program that sends closed-loop load: wrk with its version, or the path of http-load.ts. */
  get name(): string {
    return this.#wrk ?? 'test/bench/http-load.ts';
  }

  /** Sends HTTP requests with the load generator of the bench. Accepts responses with any status. */
  run(load: HttpLoad): Promise<HttpLoadResult> {
    return this.#own.ask(load);
  }

  /**
   * Sends load in a closed loop: each connection sends its next request when its previous one is answered. Rejects if a
   * request fails or gets an error status.
   */
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

/**
 * Returns the number of failed requests in the result of a load generator. A request without a response with status 200
 * counts as failed, and so does a failed connection attempt.
 */
export function allButOk(result: HttpLoadResult): number {
  const { refused, other, notConnected, broken, unsent, unanswered } = result;
  return refused + other + notConnected + broken + unsent + unanswered;
}
