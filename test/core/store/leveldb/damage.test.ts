import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { cpSync, readdirSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { before, test } from 'node:test';
import { TokenService } from '../../../../core/access/token-service.ts';
import { encodeRecord } from '../../../../core/servers/record-codec.ts';
import { newRecord } from '../../../../core/servers/record-status.ts';
import { addChecksum } from '../../../../core/store/checksummed.ts';
import { LevelDbStore } from '../../../../core/store/leveldb/leveldb-store.ts';
import { emptyState, encodeState, SCHEMA, STATE_KEY } from '../../../../core/store/leveldb/store-state.ts';
import type { EmbeddedServerStore } from '../../../../core/store/memory/embedded-server-store.ts';
import { checksumOf } from '../../../../core/store/set-digest.ts';
import { randomNumbers } from '../../../system/random-numbers.ts';
import { scratchDirectory } from '../../../system/scratch-directory.ts';
import { clockAt } from '../../clock.ts';
import { type Booted, boot } from './booted.ts';

const { now, at } = clockAt();
const SERVERS = 400;
const wish = { tier: 'FREE', email: 'ann@example.com', expiresAt: 0, allowIps: [], allowDomains: [] };
const address = (n: number): string => `203.0.${n >> 8}.${n & 255}:27015`;

/**
 * Template directories that the tests copy. `ended`: a cleanly closed store with several tables and with its newest
 * writes in the log. `killed`: a store whose process was killed.
 */
let ended: string;
let killed: string;
let whole: string;

const copyOf = (directory: string): string => {
  const copy = join(scratchDirectory(), 'store');
  cpSync(directory, copy, { recursive: true });
  return copy;
};

/** Copies a directory while LevelDB runs, which creates and deletes files during the copy. */
const settledCopyOf = (directory: string): string => {
  for (;;) {
    try {
      const before = readdirSync(directory).join();
      const copy = copyOf(directory);
      if (readdirSync(directory).join() === before) return copy;
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error;
    }
  }
};

/** Returns the complete content of a store as text. */
async function contents({ store, credentials, tokens, quota, lastUse }: Booted): Promise<string> {
  const servers = await store.list('', '', 1_000_000);
  const used = tokens.list().map(token => [token, quota.used(token.id), lastUse.at(token.id)]);
  const access = servers.map(({ key }) => [credentials.get(key)?.secret, credentials.namesOf(key)]);
  return JSON.stringify([servers, access, used]);
}

async function insert(store: EmbeddedServerStore, from: number, to: number): Promise<void> {
  const servers = Array.from({ length: to - from }, (_, i) => ({
    gameId: i % 2 === 0 ? 'csgo' : 'css',
    address: address(from + i),
    insertedBy: 'tok_1',
  }));
  await store.insertIfAbsent(servers);
}

before(async () => {
  const directory = scratchDirectory();
  for (let round = 0; round < 3; round++) {
    const booted = await boot(directory, now);
    const { store, credentials, tokens, quota, lastUse } = booted;
    await insert(store, (round * SERVERS) / 4, ((round + 1) * SERVERS) / 4);
    const { token } = await new TokenService(tokens, now).create(wish);
    quota.charge(token.id);
    lastUse.note(token.id);
    const servers = Array.from({ length: 20 }, (_, i) => `csgo ${address((round * SERVERS) / 4 + 2 * i)}`);
    await credentials.changeAccess(servers, { secret: `secret ${round}`, options: new Map() });
    await booted.close();
  }
  const last = await boot(directory, now);
  await insert(last.store, (3 * SERVERS) / 4, SERVERS);
  const [token] = last.tokens.list();
  assert.ok(token);
  await new TokenService(last.tokens, now).revoke(token.id);
  await last.store.remove(['csgo 203.0.0.0:27015']);
  whole = await contents(last);
  killed = settledCopyOf(directory);
  await last.close();
  ended = copyOf(directory);
});

const filesOf = (directory: string, kind: RegExp): string[] =>
  readdirSync(directory)
    .filter(name => kind.test(name))
    .map(name => join(directory, name));
const one = (directory: string, kind: RegExp): string => {
  const [file] = filesOf(directory, kind);
  assert.ok(file);
  return file;
};
const flip = (file: string, offset: number): void => {
  const bytes = readFileSync(file);
  bytes[offset] = (bytes[offset] ?? 0) ^ 0x10;
  writeFileSync(file, bytes);
};
const isDamage = (what: RegExp) => (error: Error) => {
  assert.equal(error.name, 'StoreDamage', error.stack);
  assert.match(error.message, what);
  assert.match(error.message, /gsq restore <file> --data-dir <directory>/);
  return true;
};

test('a clean shutdown or a kill loses no written entries, also if the store is opened three times in a row', async () => {
  for (const directory of [ended, killed]) {
    const copy = copyOf(directory);
    for (let round = 0; round < 3; round++) {
      const booted = await boot(copy, now);
      assert.equal(await contents(booted), whole);
      assert.deepEqual(booted.corrupt, []);
      await booted.close();
      assert.ok(!readdirSync(copy).some(name => name === 'found' || name === 'opening'));
    }
  }
});

test('a start refuses a truncated manifest, which LevelDB opens without an error, and preserves the files unchanged', async () => {
  const directory = scratchDirectory();
  const booted = await boot(directory, now);
  // The writes exceed LevelDB's write buffer of 4 MiB several times, so LevelDB creates tables during the writes.
  for (let n = 0; n < 13_000; n += 500) {
    await booted.engine.commit(
      Array.from({ length: 500 }, (_, i) => {
        const record = newRecord('csgo', address(n + i), 'tok_1', at, 60_000);
        const value = encodeRecord({ ...record, data: randomBytes(1000) });
        return { type: 'put', key: `s/${record.key}`, value, adds: checksumOf(record.key) };
      }),
    );
  }
  const found = settledCopyOf(directory);
  await booted.close();
  const manifest = one(found, /^MANIFEST/);
  const { size } = statSync(manifest);
  let silent = 0;
  for (const length of [0.9, 0.7, 0.5].map(part => Math.floor(size * part))) {
    const copy = copyOf(found);
    truncateSync(one(copy, /^MANIFEST/), length);
    const files = filesOf(copy, /\.(log|ldb)$/).map(path => [path, readFileSync(path)] as const);
    await assert.rejects(boot(copy, now), isDamage(/is damaged: .*(missing|torn|corruption)/i));
    const opened = filesOf(copy, /^found$/).length > 0;
    if (opened) silent++;
    for (const [path, bytes] of files) {
      const kept = opened ? join(copy, 'found', path.slice(copy.length + 1)) : path;
      assert.ok(readFileSync(kept).equals(bytes), kept);
    }
    await assert.rejects(boot(copy, now), isDamage(/./), 'and it stays refused');
  }
  assert.ok(silent > 0, 'LevelDB itself refused all of them');
});

test('a start reports a missing table, log, manifest or CURRENT file, and does not create a new store', async () => {
  const gone: [kind: RegExp, message: RegExp][] = [
    [/\.ldb$/, /missing/],
    [/\.log$/, /newest writes are missing/],
    [/^MANIFEST/, /MANIFEST-\d+: No such file/],
    [/^CURRENT$/, /its file CURRENT is gone, and \d+ files of data are there/],
    [/^(CURRENT|MANIFEST.*|.*\.ldb|.*\.log)$/, /all files of data are gone/],
  ];
  for (const [kind, message] of gone) {
    const copy = copyOf(ended);
    for (const file of filesOf(copy, kind)) rmSync(file);
    await assert.rejects(boot(copy, now), isDamage(message));
    await assert.rejects(boot(copy, now), isDamage(message), 'again');
  }
});

test('if a byte of a store file is flipped or the file is truncated, the start is refused or loses no data', async t => {
  const random = randomNumbers(7);
  let refused = 0;
  for (let round = 0; round < 60; round++) {
    const copy = copyOf(ended);
    const files = filesOf(copy, /^(CURRENT|MANIFEST.*|.*\.ldb|.*\.log)$/);
    const file = files[random(files.length)] ?? '';
    const { size } = statSync(file);
    const offset = random(size);
    if (round % 3 === 0) truncateSync(file, offset);
    else flip(file, offset);
    const what = `${round % 3 === 0 ? 'cut' : 'flipped'} at ${offset} of ${size}: ${file}`;
    let booted: Booted;
    try {
      booted = await boot(copy, now);
    } catch (error) {
      assert.ok(error instanceof Error && error.name === 'StoreDamage', `${what}: ${error}`);
      refused++;
      continue;
    }
    // Usage entries with a wrong checksum are dropped and reported; all other content must be unchanged.
    if (booted.corrupt.length === 0) assert.equal(await contents(booted), whole, what);
    await booted.close();
  }
  t.diagnostic(`${refused} of 60 refused`);
  assert.ok(refused > 30);
});

test('a start refuses a store in which the key of a record was changed, even if the record itself is intact', async () => {
  const copy = copyOf(ended);
  const engine = await LevelDbStore.open(copy, error => assert.fail(error));
  let moved: Buffer | undefined;
  for await (const [, value] of engine.entries('s/csgo 203.0.0.2:')) moved = value;
  assert.ok(moved);
  await engine.commit([
    { type: 'del', key: 's/csgo 203.0.0.2:27015' },
    { type: 'put', key: 's/csgo 203.0.0.2:27016', value: moved },
  ]);
  await engine.close();
  await assert.rejects(boot(copy, now), isDamage(/some of its 399 servers are others than were written/));
});

test('a start refuses a store in which a token was replaced by an older value with a correct checksum', async () => {
  const copy = copyOf(ended);
  const booted = await boot(copy, now);
  const [revoked] = booted.tokens.list().filter(token => token.revokedAt !== 0);
  assert.ok(revoked);
  const key = `t/${revoked.id}`;
  const value = addChecksum(key, Buffer.from(JSON.stringify({ ...revoked, revokedAt: 0 })));
  await booted.engine.commit([{ type: 'put', key, value }]);
  await booted.close();
  await assert.rejects(boot(copy, now), isDamage(/some of its 3 tokens are others than were written/));
});

test('the error of a start with damaged data lists the first ten damaged records, and contains the id of a damaged token', async () => {
  const copy = copyOf(ended);
  const booted = await boot(copy, now);
  const damaged: { type: 'put'; key: string; value: Buffer }[] = [];
  for await (const [key, value] of booted.engine.entries('s/csgo')) {
    if (damaged.length === 12) break;
    value[value.length - 1] = (value[value.length - 1] ?? 0) ^ 1;
    damaged.push({ type: 'put', key, value });
  }
  await booted.engine.commit(damaged);
  await booted.close();
  await assert.rejects(
    boot(copy, now),
    isDamage(
      /"csgo 203\.0\.0\.100:27015" does not match its checksum; (?:the stored record of .*; ){9}and 2 more\./,
    ),
  );
  const tokens = copyOf(ended);
  const second = await boot(tokens, now);
  await second.engine.commit([{ type: 'put', key: 't/tok_torn', value: Buffer.from('{"id":') }]);
  await second.close();
  await assert.rejects(
    boot(tokens, now),
    isDamage(/the stored token "tok_torn" does not match its checksum/),
  );
});

test('a start reports and deletes usage entries with a wrong checksum, and keeps the other usage entries', async () => {
  const copy = copyOf(ended);
  const booted = await boot(copy, now);
  const [token, other] = booted.tokens.list();
  assert.ok(token && other);
  const minute = Math.floor(at / 60_000);
  const torn = [`q/${token.id}/${minute}`, `u/${token.id}`];
  await booted.engine.commit(
    torn.map(key => ({
      type: 'put',
      key,
      value: addChecksum('another', Buffer.alloc(key.startsWith('q') ? 4 : 8)),
    })),
  );
  await booted.close();
  const again = await boot(copy, now);
  assert.deepEqual(again.corrupt, torn);
  assert.deepEqual([again.quota.used(token.id), again.lastUse.at(token.id)], [0, 0]);
  assert.deepEqual([again.quota.used(other.id), again.lastUse.at(other.id)], [1, at]);
  await again.close();
  const third = await boot(copy, now);
  assert.deepEqual(third.corrupt, [], 'told once');
  await third.close();
});

test('a start refuses a store of a later release, whether its checkpoint or its state contains the later format', async () => {
  for (const by of ['checkpoint', 'state']) {
    const copy = copyOf(ended);
    if (by === 'checkpoint') writeFileSync(join(copy, 'gsq.json'), `{"schema":${SCHEMA + 1},"sequence":1}`);
    else {
      const engine = await LevelDbStore.open(copy, error => assert.fail(error));
      const value = encodeState({ ...emptyState(), schema: SCHEMA + 1, sequence: 1 });
      await engine.commit([{ type: 'put', key: STATE_KEY, value }]);
      await engine.close();
    }
    await assert.rejects(boot(copy, now), {
      name: 'NewerStore',
      message: `the store in ${copy} has format ${SCHEMA + 1}, and this release knows none after ${SCHEMA}: run the release that wrote it or a later one; nothing was changed`,
    });
  }
});

test('a store can be opened after a process was killed while it opened the store', async () => {
  const copy = copyOf(killed);
  for (let round = 0; round < 3; round++) {
    // Opens and loads the store. The copy is taken in this state, as if its process had been killed.
    const engine = await LevelDbStore.open(copy, error => assert.fail(error));
    await engine.reopen();
    const next = settledCopyOf(copy);
    assert.ok(readdirSync(next).includes('opening'));
    await engine.close();
    const booted = await boot(next, now);
    assert.equal(await contents(booted), whole);
    await booted.close();
  }
});
