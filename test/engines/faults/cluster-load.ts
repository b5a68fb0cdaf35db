import { GrpcFetchClient } from '../../faults/fetch-client.ts';
import type { InsertLoad, LoadOptions } from '../../faults/insert-load.ts';
import type { Trial } from '../../faults/trial.ts';
import { until } from '../../system/until.ts';
import type { Fleet } from './fleet.ts';
import { KnownReads } from './known-reads.ts';
import { LongestGap } from './longest-gap.ts';
import { RestFetchClient } from './rest-fetch-client.ts';

const CALLERS = 1;
const FRESH = 5;
const PAUSE_MS = 200;
const AGAIN_MS = 90_000;

/** Callers that insert servers through the same core or the same gateway. */
interface Way {
  readonly label: string;
  readonly load: InsertLoad;
}

/**
 * The callers that send requests to a cluster during a fault test. One caller for each core (gRPC) and each gateway
 * (REST) inserts and fetches servers. Other callers only fetch known servers. The answers to all callers are recorded
 * in one `History`, which checks them.
 */
export class ClusterLoad {
  /** Measures the longest time without an acknowledged insert. */
  readonly inserts = new LongestGap();
  readonly reads: KnownReads;
  readonly #ways: readonly Way[];

  constructor(trial: Trial, { cores, gateways }: Fleet) {
    const grpc = (address: string) => new GrpcFetchClient(address, trial.game);
    const readers = cores.map(core => ({ core, load: trial.loadOver(grpc(core.grpc), { callers: 0 }) }));
    this.reads = new KnownReads(trial, readers);
    const options: LoadOptions = {
      ...{ callers: CALLERS, fresh: FRESH, pauseMs: PAUSE_MS, goesOn: true, races: true },
      onInserted: pairs => {
        this.inserts.note();
        this.reads.note(pairs);
      },
    };
    this.#ways = [
      ...cores.map(core => ({ label: core.seat.label, load: trial.loadOver(grpc(core.grpc), options) })),
      ...gateways.map(({ seat, http }) => ({
        label: seat.label,
        load: trial.loadOver(new RestFetchClient(http, trial.game), options),
      })),
    ];
  }

  /** Number of inserts that gsq has acknowledged, for all callers together. */
  get acknowledged(): number {
    return this.#ways.reduce((sum, { load }) => sum + load.acknowledged, 0);
  }

  /** Resolves when each core and each gateway has acknowledged `count` more inserts. Rejects after 90 s. */
  async acknowledgedByAll(count: number): Promise<void> {
    const targets = this.#ways.map(({ label, load }) => ({ label, load, wanted: load.acknowledged + count }));
    const missing = () =>
      targets.filter(({ load, wanted }) => load.acknowledged < wanted).map(({ label }) => label);
    await until('inserts through all cores and gateways', missing, labels => labels.length === 0, AGAIN_MS);
  }

  /** Stops all callers. Resolves when all their fetches have ended. */
  async stop(): Promise<void> {
    await Promise.all([this.reads.stop(), ...this.#ways.map(({ load }) => load.stop())]);
  }
}
