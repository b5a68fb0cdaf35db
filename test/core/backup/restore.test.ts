import assert from 'node:assert/strict';
import { cpSync, existsSync, mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { restoreStore } from '../../../core/offline-store.ts';
import { LevelDbStore } from '../../../core/store/leveldb/leveldb-store.ts';
import type { Operation } from '../../../core/store/storage-engine.ts';
import { boot } from '../store/leveldb/booted.ts';
import {
  backedUp,
  backupOf,
  changedBackup,
  clock,
  SECRET,
  SERVER_SECRET,
  WITH_CREDENTIALS,
} from './backed-up-store.ts';

test('a store restored from a backup contains the same data as the original store', async () => {
  const { home, directory, booted, text, file } = await backedUp();
  const restored = join(home, 'restored');
  assert.deepEqual(await restoreStore(file, restored), {
    servers: 30,
    credentials: 2,
    tokens: 1,
    usage: 1,
    last_uses: 1,
    webhooks: 0,
    history: 0,
  });
  assert.deepEqual(readdirSync(restored).sort(), ['leveldb', 'token.key']);
  assert.equal(statSync(join(restored, 'token.key')).mode & 0o777, 0o600);
  await assert.rejects(boot(join(restored, 'leveldb'), clock.now, undefined, restored), {
    name: 'ConfigError',
    message: /credentials\.key is missing/,
  });
  cpSync(join(directory, 'credentials.key'), join(restored, 'credentials.key'));
  const again = await boot(join(restored, 'leveldb'), clock.now, undefined, restored);
  assert.deepEqual(await again.store.list('', '', 100), await booted.store.list('', '', 100));
  assert.equal(await backupOf(again, restored), text);
  assert.ok(again.tokens.findBySecret(SECRET));
  for (const key of WITH_CREDENTIALS) assert.equal(again.credentials.get(key)?.secret, SERVER_SECRET);
  await again.close();
  await booted.close();
});

test('a restore refuses a target directory that is not empty, and creates no directory if the backup is missing or damaged', async () => {
  const { home, booted, text, file } = await backedUp();
  await booted.close();
  const used = join(home, 'used');
  mkdirSync(used);
  writeFileSync(join(used, 'note'), '');
  await assert.rejects(restoreStore(file, used), {
    name: 'ConfigError',
    message: /is not empty, it contains note/,
  });
  const target = join(home, 'target');
  await assert.rejects(restoreStore(join(home, 'none'), target), /there is no file/);
  assert.equal(existsSync(target), false);
  writeFileSync(file, text.replace('"status":"pending"', '"status":"offline"'));
  await assert.rejects(restoreStore(file, target), {
    name: 'BackupError',
    message: /does not match the checksum/,
  });
  // Writes a backup with a correct checksum and an unknown server status. A newer release can write such a backup.
  writeFileSync(
    file,
    changedBackup(text.replace('"status":"pending"', '"status":"asleep"'), lines => lines),
  );
  await assert.rejects(restoreStore(file, target), {
    name: 'BackupError',
    message: 'the backup contains a line that this release cannot store: "asleep" is not a known status',
  });
  assert.match(text, /"open_hour":"/);
  writeFileSync(
    file,
    changedBackup(text.replace(/"open_hour":"[^"]*"/, '"open_hour":"AAAA"'), lines => lines),
  );
  await assert.rejects(restoreStore(file, target), {
    name: 'BackupError',
    message:
      'the backup contains a line that this release cannot store: the samples of an hour have no end mark',
  });
  assert.equal(existsSync(target), false);
  // Simulates a restore that was killed and left a folder in its target directory. The next restore into this directory
  // must succeed.
  mkdirSync(join(target, 'restoring', 'leveldb'), { recursive: true });
  writeFileSync(file, text);
  await restoreStore(file, target);
  assert.deepEqual(readdirSync(target).sort(), ['leveldb', 'token.key']);
});

test('a restore fails, and leaves the target directory empty, if an entry in the restored store is missing or wrong', async t => {
  const { home, booted, file } = await backedUp();
  await booted.close();
  const { commit } = LevelDbStore.prototype;
  const target = join(home, 'target');
  const wrong: [string, (operation: Operation) => Operation[]][] = [
    ['s/csgo 203.0.113.1:27015', () => []],
    ['s/csgo 203.0.113.1:27015', each => [each, { ...each, key: 's/csgo 203.0.113.111:27015' }]],
    ['q/', each => (each.type === 'put' ? [{ ...each, value: Buffer.from(each.value).fill(7, 5) }] : [each])],
    ['u/', () => []],
    ['c/csgo 203.0.113.1:27015', () => []],
  ];
  for (const [prefix, change] of wrong) {
    const method = t.mock.method(
      LevelDbStore.prototype,
      'commit',
      function (this: LevelDbStore, all: readonly Operation[]) {
        return commit.call(
          this,
          all.flatMap(each => (each.key.startsWith(prefix) ? change(each) : [each])),
        );
      },
    );
    await assert.rejects(restoreStore(file, target), prefix.startsWith('s/') ? /./ : { name: 'BackupError' });
    method.mock.restore();
    assert.deepEqual(readdirSync(target), [], prefix);
  }
});
