import assert from 'node:assert/strict';
import { appendFileSync, chmodSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { TokenService } from '../../../core/access/token-service.ts';
import { Tokens } from '../../../core/access/tokens.ts';
import { backupChunks } from '../../../core/backup/backup.ts';
import { openOffline, restoreStore } from '../../../core/offline-store.ts';
import { scratchDirectory } from '../../system/scratch-directory.ts';
import { clockAt } from '../clock.ts';
import { openEngine, scratchEngine } from '../scratch-store.ts';
import { directoryWithToken, storedText, wish } from './directory-with-token.ts';
import { SECRET } from './token-fixture.ts';

test('the first start of the core creates the key that hashes tokens (32 random bytes, mode 0600); later starts reuse it', async t => {
  const keys = new Set<string>();
  for (let i = 0; i < 2; i++) {
    const { directory, engine, key } = await directoryWithToken(t);
    assert.equal(statSync(key).mode & 0o777, 0o600);
    assert.equal(statSync(key).size, 32);
    const first = readFileSync(key).toString('hex');
    const again = await Tokens.load(engine, directory);
    assert.equal(readFileSync(key).toString('hex'), first);
    assert.ok(again.findBySecret(SECRET));
    keys.add(first);
  }
  assert.equal(keys.size, 2);
});

test('the core creates its token key at the start, even if a killed process has left an unfinished key file', async t => {
  const directory = scratchDirectory();
  writeFileSync(join(directory, 'token.key.new'), 'half', { mode: 0o666 });
  await Tokens.load(await scratchEngine(t), directory);
  assert.equal(statSync(join(directory, 'token.key')).size, 32);
  assert.equal(statSync(join(directory, 'token.key')).mode & 0o777, 0o600);
});

const badKeys: [what: string, spoil: (key: string) => void, message: RegExp][] = [
  [
    'missing',
    key => rmSync(key),
    /token\.key is missing, .* 1 stored tokens; .*gsq backup <file> --offline.* gsq token rotate <id>/,
  ],
  ['readable by its group', key => chmodSync(key, 0o640), /open to other users .*: chmod 600 \S+token\.key$/],
  ['readable by all users', key => chmodSync(key, 0o604), /open to other users .*: chmod 600 \S+token\.key$/],
  ['writable by all users', key => chmodSync(key, 0o602), /open to other users .*: chmod 600/],
  [
    'a different key of the same length',
    key => writeFileSync(key, Buffer.alloc(32, 7)),
    /token\.key is not the key that hashed .* 1 stored tokens; .*gsq backup <file> --offline.* gsq token rotate <id>/,
  ],
  ['empty', key => writeFileSync(key, ''), /has 0 bytes instead of 32 .*backup/],
  ['one byte too short', key => writeFileSync(key, 'x'.repeat(31)), /has 31 bytes instead of 32/],
  ['one byte too long', key => writeFileSync(key, 'x'.repeat(33)), /has 33 bytes instead of 32/],
  [
    'a directory',
    key => {
      rmSync(key);
      mkdirSync(key, { mode: 0o700 });
    },
    /token\.key \(mode 0700, of user \d+\) cannot be read: .*EISDIR.*chmod 600/,
  ],
];
for (const [what, spoil, message] of badKeys) {
  test(`the core does not start, and changes nothing in the store, if the token key file is ${what}`, async t => {
    const { directory, engine, key } = await directoryWithToken(t);
    const before = await storedText(engine);
    spoil(key);
    await assert.rejects(Tokens.load(engine, directory), { name: 'ConfigError', message });
    await assert.rejects(Tokens.load(engine, directory), { name: 'ConfigError', message: /^GSQ_DATA_DIR: / });
    assert.equal(await storedText(engine), before);
  });
}

test('at its start, the core accepts any token key (used to hash tokens) if the store does not contain the value that checks the key', async t => {
  const { directory, engine, key } = await directoryWithToken(t);
  await engine.commit([{ type: 'del', key: 'k/token.key' }]);
  await Tokens.load(engine, directory);
  writeFileSync(key, Buffer.alloc(32, 7));
  await assert.rejects(Tokens.load(engine, directory), { name: 'ConfigError' });
});

test('a starting core creates a new token key if the key file is missing and the store contains no tokens', async t => {
  const directory = scratchDirectory();
  const engine = await scratchEngine(t);
  await Tokens.load(engine, directory);
  rmSync(join(directory, 'token.key'));
  await new TokenService(await Tokens.load(engine, directory), clockAt().now).create(wish, SECRET);
  assert.ok((await Tokens.load(engine, directory)).findBySecret(SECRET));
});

test('if a backup was made with a wrong token key (which hashes tokens), a restored token is invalid until its secret is rotated', async t => {
  const { directory, engine, key } = await directoryWithToken(t);
  await engine.close();
  writeFileSync(key, Buffer.alloc(32, 7));
  const offline = await openOffline(directory);
  const file = join(scratchDirectory(), 'backup.ndjson');
  for await (const chunk of backupChunks(await offline.readBackup(Date.now))) appendFileSync(file, chunk);
  await offline.close();
  assert.match(offline.keyFaults.join(), /token\.key is not the key/);
  const restored = join(scratchDirectory(), 'restored');
  await restoreStore(file, restored);
  const tokens = await Tokens.load(await openEngine(t, join(restored, 'leveldb')), restored);
  assert.equal(tokens.findBySecret(SECRET), undefined);
  const [token] = tokens.list();
  const { secret } = await new TokenService(tokens, clockAt().now).rotate(token?.id ?? '');
  assert.equal(tokens.verify({ ...wish, token: secret }, clockAt().at)?.id, token?.id);
});
