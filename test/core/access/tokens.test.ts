import assert from 'node:assert/strict';
import { createHash, createHmac } from 'node:crypto';
import { appendFileSync, chmodSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { type TokenRequest, TokenService } from '../../../core/access/token-service.ts';
import { Tokens } from '../../../core/access/tokens.ts';
import { backupChunks } from '../../../core/backup/backup.ts';
import { openOffline, restoreStore } from '../../../core/offline-store.ts';
import type { LevelDbStore } from '../../../core/store/leveldb/leveldb-store.ts';
import { scratchDirectory } from '../../system/scratch-directory.ts';
import { clockAt } from '../clock.ts';
import { openEngine, scratchEngine } from '../scratch-store.ts';

const wish: TokenRequest = {
  tier: 'FREE',
  email: 'ann@example.com',
  expiresAt: 0,
  allowIps: [],
  allowDomains: [],
};
const SECRET = 'a secret of sixteen or more';
const sha256 = (text: string): Buffer => createHash('sha256').update(text).digest();

/** Returns a stored token in the old format, in which the hash of the secret uses no key. */
function unkeyed(id: string, secret: string, change: object = {}): object {
  const token = { ...wish, id, hash: sha256(secret).toString('hex'), createdAt: 1, revokedAt: 0 };
  return { ...token, ...change };
}

async function store(engine: LevelDbStore, ...tokens: object[]): Promise<void> {
  await engine.commit(
    tokens.map((token, i) => ({ type: 'put', key: `t/tok_${i}`, value: Buffer.from(JSON.stringify(token)) })),
  );
}

async function stored(engine: LevelDbStore): Promise<string> {
  let text = '';
  for await (const [key, value] of engine.entries('')) text += `${key} ${value}\n`;
  return text;
}

/** Creates a data directory that contains a token key and a store with one token. */
async function used(t: TestContext) {
  const directory = scratchDirectory();
  const engine = await openEngine(t, join(directory, 'leveldb'));
  await new TokenService(await Tokens.load(engine, directory), clockAt().now).create(wish, SECRET);
  return { directory, engine, key: join(directory, 'token.key') };
}

test('the first start of the core creates the key that hashes tokens (32 random bytes, mode 0600); later starts reuse it', async t => {
  const keys = new Set<string>();
  for (let i = 0; i < 2; i++) {
    const { directory, engine, key } = await used(t);
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

test('the store contains the HMAC-SHA-256 of the SHA-256 of a secret, but neither the secret nor its plain SHA-256', async t => {
  const { engine, key } = await used(t);
  const keyed = createHmac('sha256', readFileSync(key)).update(sha256(SECRET)).digest('hex');
  const text = await stored(engine);
  assert.ok(text.includes(keyed));
  assert.ok(!text.includes(SECRET) && !text.includes(sha256(SECRET).toString('hex')));
});

test('the core replaces plain hashes of token secrets in the store by keyed hashes at its start', async t => {
  const directory = scratchDirectory();
  const engine = await scratchEngine(t);
  await store(
    engine,
    unkeyed('tok_0', 'the first of two secrets', { allowIps: ['10.0.0.0/8'] }),
    unkeyed('tok_1', 'the second of two secrets', { revokedAt: 5, createdAt: 2 }),
  );
  const tokens = await Tokens.load(engine, directory);
  const found = tokens.verify({ ...wish, token: 'the first of two secrets' }, 10);
  assert.deepEqual([found?.id, found?.allowIps, found?.createdAt], ['tok_0', ['10.0.0.0/8'], 1]);
  assert.equal(tokens.findBySecret('the second of two secrets')?.revokedAt, 5);
  assert.equal(tokens.verify({ ...wish, token: 'the second of two secrets' }, 10), undefined);
  const text = await stored(engine);
  for (const secret of ['the first of two secrets', 'the second of two secrets']) {
    assert.ok(!text.includes(sha256(secret).toString('hex')));
  }
  const again = await Tokens.load(engine, directory);
  assert.deepEqual(again.list(), tokens.list());
  assert.equal(await stored(engine), text);
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
    const { directory, engine, key } = await used(t);
    const before = await stored(engine);
    spoil(key);
    await assert.rejects(Tokens.load(engine, directory), { name: 'ConfigError', message });
    await assert.rejects(Tokens.load(engine, directory), { name: 'ConfigError', message: /^GSQ_DATA_DIR: / });
    assert.equal(await stored(engine), before);
  });
}

test('at its start, the core accepts any token key (used to hash tokens) if the store does not contain the value that checks the key', async t => {
  const { directory, engine, key } = await used(t);
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
  const { directory, engine, key } = await used(t);
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

test('credentials are refused if the token, tier or e-mail is wrong, or if the token is expired or revoked', async t => {
  const clock = clockAt();
  const tokens = await Tokens.load(await scratchEngine(t), scratchDirectory());
  const tokenService = new TokenService(tokens, clock.now);
  const { secret, token } = await tokenService.create({ ...wish, expiresAt: clock.at + 10 });
  const right = { token: secret, tier: 'FREE', email: 'ANN@example.com' };
  assert.equal(tokens.verify(right, clock.at), token);
  for (const wrong of [
    { token: `${secret.slice(0, -1)}${secret.endsWith('x') ? 'y' : 'x'}` },
    { token: '' },
    { tier: 'PRO' },
    { email: 'bob@example.com' },
    { email: '' },
  ]) {
    assert.equal(
      tokens.verify({ ...right, ...wrong }, clock.at),
      undefined,
      JSON.stringify(Object.keys(wrong)),
    );
  }
  assert.equal(tokens.verify(right, clock.at + 10), undefined, 'expired');
  await tokenService.revoke(token.id);
  assert.equal(tokens.verify(right, clock.at), undefined, 'revoked');
});
