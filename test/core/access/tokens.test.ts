import assert from 'node:assert/strict';
import { createHash, createHmac } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { TokenService } from '../../../core/access/token-service.ts';
import { Tokens } from '../../../core/access/tokens.ts';
import type { LevelDbStore } from '../../../core/store/leveldb/leveldb-store.ts';
import { scratchDirectory } from '../../system/scratch-directory.ts';
import { clockAt } from '../clock.ts';
import { scratchEngine } from '../scratch-store.ts';
import { directoryWithToken, storedText, wish } from './directory-with-token.ts';
import { SECRET } from './token-fixture.ts';

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

test('the store contains the HMAC-SHA-256 of the SHA-256 of a secret, but neither the secret nor its plain SHA-256', async t => {
  const { engine, key } = await directoryWithToken(t);
  const keyed = createHmac('sha256', readFileSync(key)).update(sha256(SECRET)).digest('hex');
  const text = await storedText(engine);
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
  const text = await storedText(engine);
  for (const secret of ['the first of two secrets', 'the second of two secrets']) {
    assert.ok(!text.includes(sha256(secret).toString('hex')));
  }
  const again = await Tokens.load(engine, directory);
  assert.deepEqual(again.list(), tokens.list());
  assert.equal(await storedText(engine), text);
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
