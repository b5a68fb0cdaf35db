import type { TestContext } from 'node:test';
import { DayQuota } from '../../../core/access/day-quota.ts';
import type { LevelDbStore } from '../../../core/store/leveldb/leveldb-store.ts';
import { scratchDirectory } from '../../system/scratch-directory.ts';
import { clockAt } from '../clock.ts';
import { openEngine } from '../scratch-store.ts';

/** One minute, in milliseconds. */
export const MINUTE = 60_000;
/** One day, in milliseconds. */
export const DAY = 24 * 60 * MINUTE;

/** Opens an empty store and the daily quotas of the tokens. Closes both when the test ends. */
export async function openDayQuota(t: TestContext) {
  const directory = scratchDirectory();
  const clock = clockAt();
  const quotas: DayQuota[] = [];
  // This hook closes the quotas, and must run before the hook that closes the store. Hooks run in the order in which
  // they are registered, so this hook is registered before `openEngine` registers the other hook.
  t.after(() => {
    for (const quota of quotas) quota.close();
  });
  let engine: LevelDbStore;
  const load = async (): Promise<DayQuota> => {
    engine = await openEngine(t, directory);
    const quota = await DayQuota.load(engine, clock.now);
    quotas.push(quota);
    return quota;
  };
  const quota = await load();
  return {
    clock,
    quota,
    /** Closes the store, opens it again and loads the counts from it. */
    async restart(): Promise<DayQuota> {
      await engine.close();
      return load();
    },
    /** Returns the keys of all request counts in the store. */
    async keys(): Promise<string[]> {
      // Makes one more write and waits until it is stored. The storage engine stores writes in order, so all earlier
      // writes are then stored too.
      await engine.commit([{ type: 'del', key: 'nothing' }]);
      const keys: string[] = [];
      for await (const [key] of engine.entries('q/')) keys.push(key);
      return keys;
    },
  };
}
