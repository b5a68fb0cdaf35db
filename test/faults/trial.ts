import { randomNumbers } from '../system/random-numbers.ts';
import { CoreProcess } from './core-process.ts';
import { type FetchClient, GrpcFetchClient } from './fetch-client.ts';
import { History } from './history.ts';
import { InsertLoad, type LoadOptions } from './insert-load.ts';

const AUDIT = 500;

/**
 * A data directory that several core processes use one after another, and a record of all fetches that callers send to
 * these processes.
 */
export class Trial {
  readonly directory: string;
  readonly history: History;
  readonly random: (below: number) => number;
  /** Id of the game that the callers use in all requests. */
  readonly game: string;
  readonly #pairs: string[] = [];

  /**
   * `areCallsRepeated`: true if several cores share the store, because a core can then repeat a call after a broken
   * connection. If the first call has already inserted a server, the repeated call reports the server as `known`. The
   * test must not count this as a fault.
   */
  constructor(directory: string, seed: number, areCallsRepeated = false, game = 'csgo') {
    this.directory = directory;
    this.game = game;
    this.history = new History(areCallsRepeated);
    this.random = randomNumbers(seed);
  }

  /** Starts callers that insert and fetch servers through the public gRPC port of a core. */
  async load(core: CoreProcess, options?: LoadOptions): Promise<InsertLoad> {
    return this.loadOver(new GrpcFetchClient(await core.address('GSQ_GRPC_ADDR'), this.game), options);
  }

  /** Starts callers that insert and fetch servers through the given client. */
  loadOver(client: FetchClient, options?: LoadOptions): InsertLoad {
    return new InsertLoad(client, this.history, this.#pairs, this.random, options);
  }

  /**
   * Starts a core and fetches every pair of game and address that was ever requested. Rejects if the core does not
   * answer a fetch.
   */
  async audit(env: Record<string, string> = {}): Promise<void> {
    const core = await CoreProcess.start(this.directory, env);
    const load = await this.load(core, { callers: 0 });
    try {
      const pairs = this.history.pairs;
      for (let i = 0; i < pairs.length; i += AUDIT) {
        if (!(await load.fetch(pairs.slice(i, i + AUDIT)))) throw new Error('the audit got no answer');
      }
    } finally {
      await load.stop();
      await core.child.stop();
    }
  }

  /**
   * Returns one line for each pair of game and address whose fetch results are impossible (for example, inserted
   * twice). Also returns a summary in one line.
   */
  verdict(): { faults: string[]; figures: string } {
    const { unknown } = this.history.count();
    return {
      faults: this.history.violations().map(({ pair, what }) => `${pair}: ${what}`),
      figures: `${this.history.acknowledged.length} inserts acknowledged, ${unknown} of unknown end, ${this.history.pairs.length} pairs audited`,
    };
  }
}
