import { test } from 'node:test';
import { RestoredHistory } from '../../../../core/store/history/history-backup.ts';
import { scratchDirectory } from '../../../system/scratch-directory.ts';
import { DAY, HOUR, openHistory } from '../history/opened-history.ts';
import { MemoryBlobs } from './memory-blobs.ts';
import { SharedHistories } from './shared-histories.ts';

const FROM = Date.UTC(2026, 4, 28);
const KEYS = [1, 1, 2, 3].map((host, i) => `csgo 203.0.113.${host}:2701${5 + i}`);

for (const seed of [1, 2, 3]) {
  test(`while servers move between cores, the shared history returns the same data as one history on disk (seed ${seed})`, async t => {
    let now = (): number => FROM;
    const blobs = new MemoryBlobs(() => now());
    const shared = {
      of: (core: number) => blobs.of(core),
      async move(bucket: number, core: number) {
        blobs.owners.set(bucket, core);
      },
    };
    const all = new SharedHistories(t, shared, 3, KEYS, FROM, seed);
    now = all.clock.now;
    for (let day = 0; day < 4; day++) {
      await all.simulate(DAY);
      for (const server of all.servers) await all.compare(server, FROM - DAY);
    }
    all.clock.at += 4 * HOUR;
    for (const core of all.cores) await core.maintain();
    await all.whole.maintain();
    for (const server of all.servers) await all.compare(server, FROM - DAY);
  });
}

test('a backup of the server history in a database can be restored to disk without a change', async t => {
  const blobs = new MemoryBlobs(() => FROM);
  const shared = { of: (core: number) => blobs.of(core), move: async () => {} };
  const all = new SharedHistories(t, shared, 1, KEYS, FROM, 4);
  await all.simulate(2 * DAY + 4 * HOUR);
  const directory = scratchDirectory();
  const restored = new RestoredHistory(directory);
  for await (const line of all.cores[0]?.backupLines() ?? []) await restored.add(line);
  await restored.close();
  const again = openHistory(t, directory, all.clock);
  for (const server of all.servers) await all.compare(server, FROM - DAY, again.store);
});
