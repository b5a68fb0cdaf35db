import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { secretOf } from '../../proto/token-secret.ts';
import { scratchDirectory } from '../system/scratch-directory.ts';
import { gsq } from './gsq-command.ts';

describe('gsq token check', () => {
  test('reports whether a secret is correct, mistyped or not made by gsq, and never prints the secret', async () => {
    const whole = secretOf('Ab0Cd1Ef2Gh3Ij4Kl5Mn6Op7Qr8St9');
    const cases: [secret: string, status: number, out: RegExp][] = [
      [whole, 0, /^whole$/m],
      [whole.replace('Ab0', 'aB0'), 1, /^mistyped or incomplete/],
      [whole.slice(0, -1), 1, /^mistyped or incomplete/],
      ['a secret of my own', 1, /^not a secret that gsq created/],
      ['', 1, /^not a secret that gsq created/],
    ];
    const file = join(scratchDirectory(), 'secret');
    for (const [secret, status, out] of cases) {
      for (const end of ['', '\n', '\r\n']) {
        writeFileSync(file, secret + end);
        const human = await gsq({}, 'token', 'check', file);
        assert.equal(human.status, status, human.out);
        assert.match(human.out, out);
        assert.ok(secret === '' || !(human.out + human.talk).includes(secret));
      }
      const json = JSON.parse((await gsq({}, 'token', 'check', file, '--json')).out) as { whole: boolean };
      assert.equal(json.whole, status === 0);
    }
  });

  test('does not print a secret that was passed by mistake in place of a file name', async () => {
    const secret = secretOf('Ab0Cd1Ef2Gh3Ij4Kl5Mn6Op7Qr8St9');
    const { status, out, talk } = await gsq({}, 'token', 'check', secret);
    assert.deepEqual([status, out], [1, '']);
    assert.match(talk, /cannot be read \(ENOENT\)/);
    assert.ok(!talk.includes(secret));
  });
});
