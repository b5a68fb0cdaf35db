import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { readTokenKey } from '../../../core/access/token-key.ts';
import { TokenService } from '../../../core/access/token-service.ts';
import { backupChunks } from '../../../core/backup/backup.ts';
import { CredentialsKey } from '../../../core/credentials/credentials-key.ts';
import { openOffline, restoreStore } from '../../../core/offline-store.ts';
import { LevelDbStore } from '../../../core/store/leveldb/leveldb-store.ts';
import type { Operation } from '../../../core/store/storage-engine.ts';
import { scratchDirectory } from '../../system/scratch-directory.ts';
import { clockAt } from '../clock.ts';
import { payloadOf } from '../payload-of.ts';
import { offlineRecord, onlineRecord } from '../record-of.ts';
import { leaseRecords } from '../store/lease-records.ts';
import { type Booted, boot } from '../store/leveldb/booted.ts';

const clock = clockAt();
const SECRET = 'a secret of sixteen or more';
const SERVER_SECRET = 'a password of a server';
const WITH_CREDENTIALS = ['csgo 203.0.113.1:27015', 'minecraft 203.0.113.2:27015'];

async function backupOf(
  { store, credentials, tokens, quota, lastUse }: Booted,
  directory: string,
): Promise<string> {
  let text = '';
  const tokenKey = () => readTokenKey(directory);
  const [servers, list] = [() => store.records(), () => tokens.list()];
  const parts = { servers, credentials, tokens: list, quota, lastUse, tokenKey };
  for await (const chunk of backupChunks({ ...parts, now: clock.now })) text += chunk.toString();
  return text;
}

/** Creates a store with records of each kind, restarts the core, and makes a backup of the store. */
async function backedUp() {
  const home = scratchDirectory();
  const directory = join(home, 'data');
  mkdirSync(directory);
  const written = await boot(join(directory, 'leveldb'), clock.now, undefined, directory);
  const { store, credentials, tokens, quota, lastUse } = written;
  const servers = Array.from({ length: 30 }, (_, n) => ({
    gameId: n % 2 ? 'csgo' : 'minecraft',
    address: n % 3 ? `203.0.113.${n}:27015` : `[2001:db8::${n}]:27015`,
    insertedBy: 'tok_1',
  }));
  await store.insertIfAbsent(servers);
  const access = { secret: SERVER_SECRET, options: new Map([['query_port', '27016']]) };
  await credentials.changeAccess(WITH_CREDENTIALS, access);
  clock.at += 1_000;
  for (const { id, server } of leaseRecords(store, 20)) {
    const payload = payloadOf({ name: `"${server.address}" \u2028 ☃ \\` });
    const answered = server.address.length % 2 === 1;
    store.apply(
      id,
      answered
        ? onlineRecord(server, clock.at, { payload, queryPort: 27016 })
        : offlineRecord(server, clock.at, { reason: 'refused' }),
    );
  }
  const wish = {
    tier: 'FREE',
    email: 'ann@example.com',
    expiresAt: 0,
    allowIps: [],
    allowDomains: ['example.com'],
  };
  const { token } = await new TokenService(tokens, clock.now).create(wish, SECRET);
  quota.charge(token.id);
  quota.charge(token.id);
  lastUse.note(token.id);
  await written.close();
  const booted = await boot(join(directory, 'leveldb'), clock.now, undefined, directory);
  const text = await backupOf(booted, directory);
  const file = join(home, 'backup.ndjson');
  writeFileSync(file, text);
  return { home, directory, booted, text, file };
}

test('a store restored from a backup contains the same data as the original store', async () => {
  const { home, directory, booted, text, file } = await backedUp();
  const restored = join(home, 'restored');
  assert.deepEqual(await restoreStore(file, restored), {
    servers: 30,
    credentials: 2,
    tokens: 1,
    usage: 1,
    last_uses: 1,
  });
  assert.deepEqual(readdirSync(restored).sort(), ['leveldb', 'token.key']);
  assert.equal(statSync(join(restored, 'token.key')).mode & 0o777, 0o600);
  await assert.rejects(boot(join(restored, 'leveldb'), clock.now, undefined, restored), {
    name: 'ConfigError',
    message: /credentials\.key is gone/,
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

/** Changes the lines of a backup, and makes a footer that matches the new lines. */
function changedBackup(text: string, change: (lines: string[]) => string[]): string {
  const lines = change(text.trimEnd().split('\n').slice(0, -1));
  const sha256 = createHash('sha256')
    .update(lines.map(line => `${line}\n`).join(''))
    .digest('hex');
  const counts = { servers: 30, credentials: 2, tokens: 1, usage: 1, last_uses: 1 };
  return `${lines.join('\n')}\n${JSON.stringify({ end: true, ...counts, sha256 })}\n`;
}

test('a backup contains encrypted server credentials, each after the line of its server, but not the encryption key', async () => {
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

test('a restore verifies server credentials if their key is in the directory, or leaves them out if an option is set', async () => {
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
    [swapped, /credentials of "csgo 203\.0\.113\.1:27015" in the backup are not what was written/],
    [moved, /credentials of "csgo 203\.0\.113\.1:27015" behind another server/],
    [cut, /credentials of a server that are cut short/],
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

test('a restore refuses a directory that is not empty, and leaves no files behind if it fails', async () => {
  const { home, booted, text, file } = await backedUp();
  await booted.close();
  const used = join(home, 'used');
  mkdirSync(used);
  writeFileSync(join(used, 'note'), '');
  await assert.rejects(restoreStore(file, used), {
    name: 'ConfigError',
    message: /is not empty, it holds note/,
  });
  const target = join(home, 'target');
  await assert.rejects(restoreStore(join(home, 'none'), target), /there is no file/);
  writeFileSync(file, text.replace('"status":"pending"', '"status":"offline"'));
  await assert.rejects(restoreStore(file, target), { name: 'BackupError', message: /another checksum/ });
  // A complete backup with a status that only a future release knows.
  writeFileSync(
    file,
    changedBackup(text.replace('"status":"pending"', '"status":"asleep"'), lines => lines),
  );
  await assert.rejects(restoreStore(file, target), {
    name: 'BackupError',
    message: 'the backup holds what this release cannot store: "asleep" is no status',
  });
  assert.deepEqual(readdirSync(target), []);
  // Files that a killed restore left behind do not prevent the next restore.
  mkdirSync(join(target, 'restoring', 'leveldb'), { recursive: true });
  writeFileSync(file, text);
  await restoreStore(file, target);
  assert.deepEqual(readdirSync(target).sort(), ['leveldb', 'token.key']);
});

/**
 * Returns the lines of a backup without the footer and without the counts of answered probes, which a restart
 * of the core resets.
 */
function contentsOf(backup: string): string[] {
  return backup
    .trimEnd()
    .split('\n')
    .slice(0, -1)
    .map(line => line.replace(/"answers":\d+/, ''));
}

test('a backup while the core is stopped equals a backup of the running core, and changes no file of the store', async () => {
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

test('a restore fails and leaves no files behind if a written entry is missing or differs from the backup', async t => {
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
