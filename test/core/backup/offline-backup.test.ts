import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, readdirSync, readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { test } from 'node:test';
import { backupChunks } from '../../../core/backup/backup.ts';
import { examine } from '../../../core/examine.ts';
import { openOffline } from '../../../core/offline-store.ts';
import { scriptArguments } from '../../../runtime/script.ts';
import { configOf } from '../../faults/whole-data.ts';
import { boot } from '../store/leveldb/booted.ts';
import { backedUp, clock } from './backed-up-store.ts';

/**
 * Returns the lines of a backup. Leaves out the counts of answered probes and the footer, because a restart of the core
 * changes them.
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

/**
 * Returns true if `gsq doctor --offline` finds no fault in a data directory. Also asserts that the opened store reports
 * faults if and only if `gsq doctor` finds faults. This matters because `gsq backup` fails if the store reports one.
 */
async function isWhole(directory: string): Promise<boolean> {
  const store = await openOffline(directory);
  const findings = await examine(store, configOf(directory));
  await store.close();
  const ok = findings.every(finding => finding.ok);
  assert.equal(store.faults.length + store.keyFaults.length === 0, ok);
  return ok;
}

test('gsq doctor and gsq backup report damage that prevents the start of the core, both before and after a start attempt', async () => {
  const { home, directory, booted } = await backedUp();
  await booted.store.insertIfAbsent([{ gameId: 'css', address: '203.0.113.99:27015', insertedBy: 'tok_1' }]);
  await booted.close();
  assert.equal(await isWhole(directory), true);
  const flip = (path: string, at: number): void => {
    const bytes = readFileSync(path);
    bytes[at] = (bytes[at] ?? 0) ^ 1;
    writeFileSync(path, bytes);
  };
  const damages: [kind: RegExp, damage: (path: string) => void][] = [
    [/\.log$/, path => truncateSync(path, 20)],
    [/\.log$/, path => flip(path, 30)],
    [/^CURRENT$/, path => truncateSync(path)],
    [/^gsq\.json$/, path => truncateSync(path)],
    [/\.ldb$/, path => flip(path, 30)],
    [/^token\.key$/, path => writeFileSync(path, Buffer.alloc(32, 7))],
    [/^credentials\.key$/, path => flip(path, 3)],
  ];
  for (const [i, [kind, damage]] of damages.entries()) {
    const copy = join(home, `copy-${i}`);
    cpSync(directory, copy, { recursive: true });
    const name = readdirSync(copy, { recursive: true, encoding: 'utf8' }).find(each =>
      kind.test(basename(each)),
    );
    damage(join(copy, name ?? ''));
    assert.equal(await isWhole(copy), false, `${kind}, damage ${i}`);
    await assert.rejects(boot(join(copy, 'leveldb'), clock.now, undefined, copy), `${kind}, damage ${i}`);
    assert.equal(await isWhole(copy), false, `${kind}, damage ${i}, after a start`);
  }
});

test('an offline backup that is stopped by a signal (such as SIGTERM) leaves no copy of the store in the data directory', async () => {
  const { directory, booted } = await backedUp();
  // The backup must be larger than the buffers of a pipe. The process then waits, because the test reads nothing.
  await booted.store.insertIfAbsent(
    Array.from({ length: 3_000 }, (_, n) => ({
      ...{ gameId: 'css', insertedBy: 'tok_1' },
      address: `203.0.113.${n % 250}:${27_000 + n}`,
    })),
  );
  await booted.close();
  const files = readdirSync(directory).sort();
  const script = resolve(import.meta.dirname, '../../../core/offline.ts');
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    const child = spawn(process.execPath, [...scriptArguments(script), 'backup'], {
      env: { ...process.env, GSQ_DATA_DIR: directory },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    await once(child.stdout, 'readable');
    assert.notDeepEqual(readdirSync(directory).sort(), files);
    child.kill(signal);
    await once(child, 'exit');
    assert.deepEqual(readdirSync(directory).sort(), files);
  }
});
