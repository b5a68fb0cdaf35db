import assert from 'node:assert/strict';
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { CredentialsKey } from '../../../core/credentials/credentials-key.ts';
import { restoreStore } from '../../../core/offline-store.ts';
import { boot } from '../store/leveldb/booted.ts';
import { backedUp, changedBackup, clock, SERVER_SECRET } from './backed-up-store.ts';

test('a backup contains the credentials of servers in encrypted form, but not the encryption key', async () => {
  const { directory, booted, text } = await backedUp();
  await booted.close();
  const key = readFileSync(join(directory, 'credentials.key')).subarray(0, 32);
  const lines = text.split('\n');
  const bytes = Buffer.concat(
    lines.map(line => Buffer.from(line.match(/"encrypted":"(.*)"/)?.[1] ?? '', 'base64')),
  );
  for (const clear of [SERVER_SECRET, key, Buffer.from(key.toString('base64'))]) {
    assert.ok(!Buffer.from(text).includes(clear) && !bytes.includes(clear));
  }
  const at = lines.findIndex(line => line.startsWith('{"credentials"'));
  assert.match(lines[at] ?? '', /"game_id":"csgo","address":"203\.0\.113\.1:27015","encrypted":/);
  assert.match(lines[at - 1] ?? '', /^\{"server":\{"game_id":"csgo","address":"203\.0\.113\.1:27015"/);
});

test('a restore refuses damaged server credentials and a wrong credentials key, but can leave out all credentials', async () => {
  const { home, directory, booted, text, file } = await backedUp();
  await booted.close();
  const beside = (name: string): string => {
    const target = join(home, name);
    mkdirSync(target);
    cpSync(join(directory, 'credentials.key'), join(target, 'credentials.key'));
    return target;
  };
  const target = beside('target');
  const swapped = (lines: string[]): string[] => {
    const [one, two] = lines.filter(line => line.startsWith('{"credentials"'));
    const encrypted = (line = ''): string => line.match(/"encrypted":"(.*)"/)?.[1] ?? '';
    return lines.map(line => (line === one ? line.replace(encrypted(one), encrypted(two)) : line));
  };
  const moved = (lines: string[]): string[] => {
    const line = lines.find(each => each.startsWith('{"credentials"')) ?? '';
    return [...lines.filter(each => each !== line), line];
  };
  const cut = (lines: string[]): string[] => lines.map(line => line.replace(/("encrypted":"...).*"/, '$1"'));
  for (const [change, message] of [
    [swapped, /credentials of "csgo 203\.0\.113\.1:27015" in the backup are damaged/],
    [moved, /credentials of "csgo 203\.0\.113\.1:27015" follow a different server/],
    [cut, /the credentials of a server are incomplete/],
  ] as const) {
    writeFileSync(file, changedBackup(text, change));
    await assert.rejects(restoreStore(file, target), { name: 'BackupError', message });
    assert.deepEqual(readdirSync(target), ['credentials.key']);
  }
  writeFileSync(file, text);
  assert.equal((await restoreStore(file, target)).credentials, 2);
  const another = beside('another');
  rmSync(join(another, 'credentials.key'));
  CredentialsKey.make(another);
  await assert.rejects(restoreStore(file, another), {
    name: 'ConfigError',
    message: /is not the key that encrypted/,
  });
  const without = join(home, 'without');
  assert.equal((await restoreStore(file, without, true)).credentials, 0);
  const again = await boot(join(without, 'leveldb'), clock.now, undefined, without);
  assert.deepEqual([again.credentials.size, again.store.stats().tracked], [0, 30]);
  await again.close();
});
