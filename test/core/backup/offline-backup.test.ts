import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { backupChunks } from '../../../core/backup/backup.ts';
import { openOffline } from '../../../core/offline-store.ts';
import { backedUp, clock } from './backed-up-store.ts';

/**
 * Returns the lines of a backup that a restart of the core does not change. Leaves out the counts of answered probes,
 * which a restart resets, and the footer, which contains a checksum of all lines.
 */
function contentsOf(backup: string): string[] {
  return backup
    .trimEnd()
    .split('\n')
    .slice(0, -1)
    .map(line => line.replace(/"answers":\d+/, ''));
}

test('a backup made while the core is stopped equals a backup of the running core, and changes no file of the store', async () => {
  const { directory, booted, text } = await backedUp();
  await assert.rejects(openOffline(directory), /lock/i);
  await booted.close();
  const files = () =>
    readdirSync(join(directory, 'leveldb')).map(name => [
      name,
      name.startsWith('LOG') ? '' : readFileSync(join(directory, 'leveldb', name)).toString('hex'),
    ]);
  const before = files();
  const store = await openOffline(directory);
  let offline = '';
  for await (const chunk of backupChunks(await store.readBackup(clock.now))) offline += chunk.toString();
  await store.close();
  assert.deepEqual(store.faults, []);
  assert.deepEqual(contentsOf(offline), contentsOf(text));
  assert.deepEqual(files(), before);
  assert.deepEqual(readdirSync(directory).sort(), ['credentials.key', 'leveldb', 'token.key']);
});
