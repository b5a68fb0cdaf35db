import assert from 'node:assert/strict';
import { join } from 'node:path';
import { encodeRecord } from '../../core/servers/record-codec.ts';
import { LevelDbStore } from '../../core/store/leveldb/leveldb-store.ts';
import { scratchDirectory } from '../system/scratch-directory.ts';
import { type InProcess, startOn } from './in-process.ts';
import type { RandomServers } from './random-servers.ts';

/**
 * Starts a core and a gateway in the test process. Both use the given clock, and the core tracks the given servers.
 * Without a prober, the data of these servers does not change.
 */
export async function startWithServers({ tracked, clock }: RandomServers): Promise<InProcess> {
  const directory = scratchDirectory();
  const level = await LevelDbStore.open(join(directory, 'leveldb'), error => assert.fail(error));
  await level.commit(
    [...tracked.values()].map(({ record }) => ({
      type: 'put',
      key: `s/${record.key}`,
      value: encodeRecord(record),
    })),
  );
  await level.close();
  return startOn(directory, { GSQ_PROBE_INTERVAL: '1m' }, clock.now);
}

/** Fails if two texts differ, and shows only the text around the first difference. */
export function assertSameText(actual: string, expected: string): void {
  if (actual === expected) return;
  let at = 0;
  while (actual[at] === expected[at]) at++;
  const around = (text: string) => text.slice(Math.max(0, at - 200), at + 100);
  assert.equal(around(actual), around(expected), `they differ at ${at}`);
}
