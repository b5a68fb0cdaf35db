import { GivenUpServers } from '../../../core/servers/given-up-servers.ts';
import type { LevelDbStore } from '../../../core/store/leveldb/leveldb-store.ts';

/**
 * Loads the given-up servers from a store. gsq no longer probes these servers regularly, because they never answered.
 * Rejects with an Error if an entry of the store is corrupt.
 */
export function givenUpOf(engine: LevelDbStore, now: () => number, most = 1000): Promise<GivenUpServers> {
  return GivenUpServers.load(engine, {
    now,
    most,
    isTracked: () => false,
    onCorrupt: key => {
      throw new Error(`${key} cannot be read`);
    },
  });
}
