import assert from 'node:assert/strict';
import { chmodSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { CredentialsKey, isEncrypted } from '../../../core/credentials/credentials-key.ts';
import { scratchDirectory } from '../../system/scratch-directory.ts';

const OWNER = 'palworld 203.0.113.1:8212';
const PLAIN = Buffer.from('a secret of this test');

test('the credentials key of a data directory is created once with mode 0600, and each directory has a different key', () => {
  const keys = new Set<string>();
  for (let i = 0; i < 2; i++) {
    const directory = scratchDirectory();
    const path = join(directory, 'credentials.key');
    assert.equal(CredentialsKey.read(directory), undefined);
    const key = CredentialsKey.make(directory);
    assert.equal(statSync(path).mode & 0o777, 0o600);
    const content = readFileSync(path).toString('hex');
    const encrypted = key.encrypt(PLAIN, OWNER);
    assert.ok(CredentialsKey.read(directory)?.decrypt(encrypted, OWNER)?.equals(PLAIN));
    assert.ok(
      CredentialsKey.make(directory).decrypt(encrypted, OWNER)?.equals(PLAIN),
      'not made a second time',
    );
    assert.equal(readFileSync(path).toString('hex'), content);
    keys.add(content);
  }
  assert.equal(keys.size, 2);
});

test('credentials can be decrypted only with the right key, only for the right server, and only if no byte was changed', () => {
  const key = CredentialsKey.make(scratchDirectory());
  const other = CredentialsKey.make(scratchDirectory());
  const encrypted = key.encrypt(PLAIN, OWNER);
  assert.ok(isEncrypted(encrypted) && key.didEncrypt(encrypted) && !other.didEncrypt(encrypted));
  assert.ok(!encrypted.includes(PLAIN));
  assert.ok(key.decrypt(encrypted, OWNER)?.equals(PLAIN));
  assert.equal(key.decrypt(encrypted, 'palworld 203.0.113.1:8213'), undefined);
  assert.equal(other.decrypt(encrypted, OWNER), undefined);
  for (let i = 0; i < encrypted.length; i++) {
    const tampered = Buffer.from(encrypted);
    tampered[i] = (tampered[i] ?? 0) ^ 1;
    assert.equal(key.decrypt(tampered, OWNER), undefined, `byte ${i}`);
    assert.equal(key.decrypt(encrypted.subarray(0, i), OWNER), undefined, `the first ${i} bytes`);
  }
  assert.notDeepEqual(key.encrypt(PLAIN, OWNER), encrypted, 'no two are encrypted alike');
});

test('a credentials key file is refused if other users can access it, if its length is wrong, or if one bit is flipped', () => {
  const directory = scratchDirectory();
  const path = join(directory, 'credentials.key');
  CredentialsKey.make(directory);
  const content = readFileSync(path);
  for (const mode of [0o640, 0o604, 0o622]) {
    chmodSync(path, mode);
    assert.throws(() => CredentialsKey.read(directory), {
      name: 'ConfigError',
      message: /credentials\.key has mode 06\d\d and is open to other users .* chmod 600/,
    });
  }
  chmodSync(path, 0o600);
  const refused = { name: 'ConfigError', message: /credentials\.key does not match its check value/ };
  const wrong = [Buffer.alloc(0), content.subarray(0, 32), Buffer.concat([content, Buffer.alloc(1)])];
  for (const at of [0, 31, 32, content.length - 1]) {
    const changed = Buffer.from(content);
    changed[at] = (changed[at] ?? 0) ^ 1;
    wrong.push(changed);
  }
  for (const bytes of wrong) {
    writeFileSync(path, bytes);
    assert.throws(() => CredentialsKey.read(directory), refused);
  }
});
