import { GivenUpServers } from '../../../core/servers/given-up-servers.ts';
import type { LevelDbStore } from '../../../core/store/leveldb/leveldb-store.ts';

/** A table of pairs that never answered, of those that a store holds. */
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
