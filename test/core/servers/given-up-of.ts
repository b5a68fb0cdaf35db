import { GivenUpServers } from '../../../core/servers/given-up-servers.ts';
import type { LevelDbStore } from '../../../core/store/leveldb/leveldb-store.ts';

/** A table of the given-up pairs in a store; these pairs never answered. */
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
