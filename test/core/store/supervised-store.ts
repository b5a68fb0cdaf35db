import assert from 'node:assert/strict';
import { renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { StoreSupervisor } from '../../../core/store/store-supervisor.ts';
import { createLogger } from '../../../runtime/log.ts';
import { scratchDirectory } from '../../system/scratch-directory.ts';
import { clockAt } from '../clock.ts';
import { boot } from './leveldb/booted.ts';

/** Clock of the stores in the tests. It always returns the same time, in Unix ms. */
export const { now } = clockAt();
/** Number of bytes in a mebibyte. */
export const MIB = 1024 * 1024;
/** Returns the test server with the number `n`, in the form that insertIfAbsent() takes. */
export const server = (n: number) => ({
  gameId: 'csgo',
  address: `203.0.113.${n}:27015`,
  insertedBy: 'tok_1',
});
/** Returns the key of the server with the number `n`. */
export const keyOf = (n: number): string => `csgo ${server(n).address}`;

/**
 * Opens a store with a `StoreSupervisor`, which allows writes only while 64 MiB of disk space are free. `disk.free`:
 * simulated free space in bytes. `failures`: write errors. `lost`: errors passed to `onLost`.
 */
export async function openSupervisedStore() {
  const home = scratchDirectory();
  const directory = join(home, 'store');
  const failures: Error[] = [];
  let supervisor: StoreSupervisor | undefined;
  const booted = await boot(directory, now, error => {
    failures.push(error);
    supervisor?.noteFailure(error);
  });
  const { engine, store, credentials, tokens } = booted;
  const disk = { free: 100 * MIB };
  const lost: Error[] = [];
  supervisor = new StoreSupervisor({
    engine,
    directory,
    minFreeBytes: 64 * MIB,
    compare: async () => [
      ...(await store.compare()),
      ...(await credentials.compare()),
      ...(await tokens.compare()),
    ],
    writeDirty: () => store.writeDirty(),
    log: createLogger('core', 'silent'),
    onLost: error => lost.push(error),
    freeBytes: async () => disk.free,
  });
  await supervisor.check();
  /**
   * Makes the writes of the store fail: moves the directory of the store away, so that LevelDB cannot create its next
   * log file.
   */
  const failWrites = async (beside: () => unknown = () => {}): Promise<void> => {
    renameSync(directory, join(home, 'away'));
    const value = Buffer.alloc(MIB, 'x');
    for (let i = 0; !engine.failed; i++) {
      assert.ok(i < 100, 'LevelDB writes to a directory that is gone');
      const written = engine.commit([{ type: 'put', key: 'x/big', value }]).catch(() => {});
      beside();
      await written;
    }
  };
  const mendWrites = (): void => {
    rmSync(directory, { recursive: true, force: true });
    renameSync(join(home, 'away'), directory);
  };
  return { ...booted, directory, disk, supervisor, failures, lost, failWrites, mendWrites };
}
