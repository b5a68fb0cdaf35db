import type { TestContext } from 'node:test';
import type { Peers } from '../../../core/cluster/peers.ts';
import { ClusterSearch } from '../../../core/merge/cluster-search.ts';
import { searchParts } from '../../../core/rpc/search-parts.ts';
import type { ServerRecord } from '../../../core/servers/server-record.ts';
import { ServiceError } from '../../../proto/service-error.ts';
import { type KnownFields, recordWith } from '../search/search-fleet.ts';
import { servedCores } from './served-cores.ts';
import { share, TestCore } from './test-core.ts';

export const CORES = 3;

/** Starts three cores without game servers. `entry` is the `ClusterSearch` of the first core; it searches all cores. */
export async function threeCores(t: TestContext) {
  const cores = Array.from({ length: CORES }, (_, i) => new TestCore(share(i, CORES)));
  const served = await servedCores(
    t,
    cores.map(core => handlers => searchParts(core, handlers)),
  );
  /** The pauses before repeated searches. The test can let something happen in such a pause. */
  const pauses: number[] = [];
  const inPause = { do: (): void => {} };
  const pause = async (ms: number): Promise<void> => {
    pauses.push(ms);
    inPause.do();
  };
  const entries = cores.map(
    (core, i) => new ClusterSearch({ ...core, peers: served.peers[i] as Peers, timeoutMs: 30_000, pause }),
  );
  return { ...served, cores, entries, entry: entries[0] as ClusterSearch, pauses, inPause };
}

/** Returns an online server. `i`: number of the server, which determines its address, name and players. */
export function serverAt(i: number, change: Partial<KnownFields> = {}): ServerRecord {
  return recordWith({
    ...{ gameId: 'csgo', address: `10.0.${i >> 8}.${i & 255}:27015`, insertedBy: 'admin', status: 'online' },
    ...{ name: `Server ${i}`, map: 'de_dust2', version: '1', players: i, password: false },
    ...change,
  });
}

/** True for an error with the code CORE_1 that says when to try again. */
export const isCore1 = (error: unknown): boolean =>
  error instanceof ServiceError && error.code === 'CORE_1' && (error.details.retryAfterSeconds ?? 0) > 0;
