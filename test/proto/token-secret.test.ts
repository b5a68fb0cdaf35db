import assert from 'node:assert/strict';
import { test } from 'node:test';
import { crc32 } from 'node:zlib';
import { newSecret } from '../../core/access/token.ts';
import { BASE62, isWholeSecret, secretOf } from '../../proto/token-secret.ts';

/** Decodes the checksum of a token secret. The last six characters are the checksum: a CRC-32, written in base 62. */
function written(secret: string): number {
  return [...secret.slice(-6)].reduce((sum, digit) => sum * 62 + BASE62.indexOf(digit), 0);
}

test('a token secret consists of gsq_, 30 random characters and their CRC-32 in base 62', () => {
  for (const random of ['0'.repeat(30), 'z'.repeat(30), 'gsqGSQ0123456789abcdefghijklmn']) {
    const secret = secretOf(random);
    assert.match(secret, /^gsq_[0-9A-Za-z]{36}$/);
    assert.equal(secret.slice(4, 34), random);
    assert.equal(written(secret), crc32(random));
    assert.ok(isWholeSecret(secret));
  }
});

test('the checksum of a token secret detects each changed, swapped, missing and added character', () => {
  const secret = secretOf('Ab0Cd1Ef2Gh3Ij4Kl5Mn6Op7Qr8St9');
  for (let i = 0; i < secret.length; i++) {
    for (const other of BASE62) {
      if (other === secret[i]) continue;
      assert.ok(!isWholeSecret(secret.slice(0, i) + other + secret.slice(i + 1)), `${i} ${other}`);
    }
    assert.ok(!isWholeSecret(secret.slice(0, i)), `cut at ${i}`);
    const [a = '', b = ''] = secret.slice(i, i + 2);
    if (a !== b && b !== '') assert.ok(!isWholeSecret(secret.slice(0, i) + b + a + secret.slice(i + 2)));
  }
  for (const text of [
    `${secret}x`,
    `${secret} `,
    ` ${secret}`,
    `${secret}\n`,
    secret.toLowerCase(),
    '',
    'gsq_',
  ]) {
    assert.ok(!isWholeSecret(text), JSON.stringify(text));
  }
});

test('new token secrets are valid, all different, and together contain all 62 characters', () => {
  const secrets = Array.from({ length: 200 }, () => newSecret());
  assert.equal(new Set(secrets).size, 200);
  for (const secret of secrets) assert.ok(isWholeSecret(secret), secret);
  // The secrets contain 6000 random characters. One of the 62 possible characters is missing by chance with a
  // probability of about 10^-40.
  assert.equal(new Set(secrets.flatMap(secret => [...secret.slice(4, 34)])).size, 62);
});
