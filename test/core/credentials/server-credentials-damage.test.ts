import assert from 'node:assert/strict';
import { cpSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { credentialsEntry } from '../../../core/credentials/credentials-entry.ts';
import { CredentialsKey } from '../../../core/credentials/credentials-key.ts';
import { ServerCredentials } from '../../../core/credentials/server-credentials.ts';
import { scratchDirectory } from '../../system/scratch-directory.ts';
import { clockAt } from '../clock.ts';
import { boot } from '../store/leveldb/booted.ts';
import { KEY, OTHER, openCredentials, options, SECRET, stored } from './opened-credentials.ts';

test('the core does not start, and gives advice, if the key of the stored server credentials is missing or wrong', async t => {
  const { directory, engine, credentials } = await openCredentials(t);
  await credentials.changeAccess([KEY], { secret: SECRET, options: options() });
  const path = join(directory, 'credentials.key');
  const kept = join(scratchDirectory(), 'kept');
  cpSync(path, kept);
  const remedy = /restore the file.*gsq restore <file> --no-credentials/;
  for (const [what, spoil] of [
    [/credentials\.key is missing, .* of 1 servers/, () => {}],
    [/credentials\.key is not the key that encrypted .* of 1 servers/, () => CredentialsKey.make(directory)],
  ] as const) {
    rmSync(path);
    spoil();
    const refused = (error: Error) => what.test(error.message) && remedy.test(error.message);
    await assert.rejects(ServerCredentials.load(engine, directory), error => {
      assert.ok(error instanceof Error && error.name === 'ConfigError' && refused(error), String(error));
      return true;
    });
    cpSync(kept, path);
    assert.equal((await ServerCredentials.load(engine, directory)).get(KEY)?.secret, SECRET);
  }
});

test('the core does not start if the stored credentials of a server were changed, truncated or copied from another server', async t => {
  const { directory, engine, credentials } = await openCredentials(t);
  const dropped = (error: Error) => error.name === 'StoreDamage' && !error.message.includes(SECRET);
  await credentials.changeAccess([KEY, OTHER], { secret: SECRET, options: options() });
  const now = (await stored(engine)).get(`c/${KEY}`);
  const encrypted = credentials.encryptedOf(KEY);
  const others = credentials.encryptedOf(OTHER);
  assert.ok(now && encrypted && others);
  const tampered = flipped(encrypted, 30);
  const put = (value: Buffer) => ({ type: 'put' as const, key: `c/${KEY}`, value });
  for (const operation of [
    // Each operation replaces the stored credentials of a server by damaged credentials. The first two operations store
    // a correct checksum, so only the decryption detects the damage.
    put(credentialsEntry(KEY, others).value),
    put(credentialsEntry(KEY, tampered).value),
    put(flipped(now, now.length - 1)),
    put(Buffer.from(now).fill(0, 5)),
    put(now.subarray(0, 20)),
  ]) {
    await engine.commit([operation]);
    await assert.rejects(ServerCredentials.load(engine, directory), dropped);
  }
  await engine.commit([put(now)]);
  assert.equal((await ServerCredentials.load(engine, directory)).size, 2);
});

test('the core does not start if stored server credentials are missing or were replaced by older ones', async () => {
  const { now } = clockAt();
  const directory = scratchDirectory();
  for (const [spoil, message] of [
    [undefined, /1 of its 1 credentials of servers are missing/],
    ['older', /some of its 1 credentials of servers differ from the written ones/],
  ] as const) {
    const home = join(directory, String(spoil));
    const booted = await boot(home, now);
    await booted.credentials.changeAccess([KEY], { secret: SECRET, options: options() });
    const older = (await stored(booted.engine)).get(`c/${KEY}`);
    await booted.credentials.changeAccess([KEY], { secret: 'newer', options: options() });
    assert.ok(older);
    // Simulates damage on the disk: changes or deletes the stored credentials of one server, but does not update the
    // checksum over all stored credentials.
    const key = `c/${KEY}`;
    await booted.engine.commit([spoil ? { type: 'put', key, value: older } : { type: 'del', key }]);
    await booted.close();
    await assert.rejects(boot(home, now), { name: 'StoreDamage', message });
  }
});

/** Returns a copy of the bytes in which one bit is inverted. `at`: index of the byte that contains this bit. */
function flipped(bytes: Buffer, at: number): Buffer {
  const copy = Buffer.from(bytes);
  copy[at] = (copy[at] ?? 0) ^ 1;
  return copy;
}
