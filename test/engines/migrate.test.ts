import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, existsSync, readdirSync, renameSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { after, before, describe, test } from 'node:test';
import { LevelDbStore } from '../../core/store/leveldb/leveldb-store.ts';
import { scriptArguments } from '../../runtime/script.ts';
import { addressAt, gameAt, writeTrackedServers } from '../bench/tracked-servers.ts';
import { gsq } from '../cli/gsq-command.ts';
import { fetchServers } from '../contract/grpc.ts';
import { CoreProcess } from '../faults/core-process.ts';
import { scratchDirectory } from '../system/scratch-directory.ts';
import { INTERNAL_SECRET } from '../system/stack-settings.ts';
import { EngineCluster } from './engine-cluster.ts';
import { flush } from './redis-stores.ts';

/**
 * Number of servers in the migrated store. For the long form of this test, TEST_MIGRATED_SERVERS can set a larger
 * number.
 */
const SERVERS = Number(process.env.TEST_MIGRATED_SERVERS ?? 20_000);
const PASSWORD = 'the-password-of-the-engine';
const OFFLINE = resolve(import.meta.dirname, '../../core/offline.ts');
const UNFINISHED = /is the target of an unfinished migration from the store in .*gsq migrate/;

interface Report {
  entries: number;
  written: number;
  removed: number;
  kinds: { kind: string; entries: number; digest: string }[];
}

/** Returns all entries of the embedded store in a data directory, keyed by entry key. The values are in base64. */
async function storedEntries(directory: string): Promise<Map<string, string>> {
  const engine = await LevelDbStore.open(join(directory, 'leveldb'), error => assert.fail(error));
  const entries = new Map<string, string>();
  for await (const piece of engine.pieces())
    for (const [key, value] of piece) entries.set(key, value.toString('base64'));
  await engine.close();
  return entries;
}

/** Writes the data directory of a core with servers, tokens, credentials and a webhook. */
async function writeData(directory: string): Promise<void> {
  await writeTrackedServers(directory, SERVERS);
  const core = await CoreProcess.start(directory);
  const env = {
    GSQ_INTERNAL_ADDR: await core.address('GSQ_INTERNAL_ADDR'),
    GSQ_INTERNAL_SECRET: INTERNAL_SECRET,
  };
  const run = async (...args: string[]): Promise<string> => {
    const { status, out, talk } = await gsq(env, ...args);
    assert.equal(status, 0, talk);
    return out;
  };
  const secret = join(directory, 'secret.txt');
  writeFileSync(secret, 'a-secret-of-a-server', { mode: 0o600 });
  await run('servers', 'add', 'palworld', '127.0.0.1:30000', '--secret-file', secret);
  await run('token', 'create', '--email', 'a@example.com', '--json');
  const [token] = JSON.parse(await run('token', 'list', '--json')) as { id: string }[];
  const hook = ['--url', 'http://127.0.0.1:27015/hook', '--token', token?.id ?? '', '--game', 'rust'];
  await run('webhooks', 'add', ...hook, '--event', 'offline');
  await fetchSome(core);
  assert.equal(await core.child.stop(), 0);
}

/** Fetches some of the migrated servers from a core. Returns what the core answers about them. */
async function fetchSome(core: CoreProcess) {
  const servers = Array.from({ length: 50 }, (_, i) => ({ gameId: gameAt(i), servers: [addressAt(i)] }));
  const { results } = await fetchServers(await core.address('GSQ_GRPC_ADDR'), { servers });
  return results.map(({ gameId, server, payload }) => ({ gameId, server, payload }));
}

describe(`gsq migrate with ${SERVERS} servers on a cluster of valkey`, { timeout: 600_000 }, () => {
  const directory = scratchDirectory();
  let cluster: EngineCluster;
  let original: Map<string, string>;
  const cores: CoreProcess[] = [];

  before(async () => {
    cluster = await EngineCluster.start('valkey', { login: { password: PASSWORD } });
    await writeData(directory);
    original = await storedEntries(directory);
  });
  after(async () => {
    for (const { child } of cores) await child.stop('SIGKILL');
    await cluster?.stop();
  });

  async function startCore(data: string, store = 'leveldb'): Promise<CoreProcess> {
    const core = await CoreProcess.start(data, { GSQ_STORE: store });
    cores.push(core);
    return core;
  }

  /** Runs `gsq migrate` with the URL of the cluster in GSQ_STORE. */
  async function migrate(...args: string[]) {
    const result = await gsq({ GSQ_STORE: cluster.url, GSQ_DATA_DIR: directory }, 'migrate', ...args);
    assert.doesNotMatch(result.out + result.talk, new RegExp(PASSWORD));
    return result;
  }

  async function migrated(...args: string[]): Promise<Report & { seconds: number }> {
    const began = performance.now();
    const { status, out, talk } = await migrate(...args, '--json');
    assert.equal(status, 0, talk);
    return { ...(JSON.parse(out) as Report), seconds: Math.round(performance.now() - began) / 1000 };
  }

  /**
   * Starts a migration, and kills its process when it has copied the first entries. The default target is the cluster.
   */
  async function killHalfway(from = 'leveldb', to = cluster.url, data = directory): Promise<void> {
    const env = { ...process.env, GSQ_DATA_DIR: data, MIGRATE_FROM: from, MIGRATE_TO: to };
    const child = spawn(process.execPath, [...scriptArguments(OFFLINE), 'migrate'], {
      env,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    for await (const line of createInterface(child.stdout)) if (/"copying","done":[1-9]/.test(line)) break;
    child.kill('SIGKILL');
    const [, signal] = child.exitCode === null ? await once(child, 'close') : [];
    assert.equal(signal, 'SIGKILL');
  }

  test('refuses a store that a core uses, and names the core', async () => {
    const embedded = await startCore(directory);
    const first = await migrate('--from', 'leveldb');
    assert.equal(first.status, 3);
    assert.match(first.talk, /is in use by another core/);
    await embedded.child.stop();
    original = await storedEntries(directory);
    const distributed = await startCore(scratchDirectory(), cluster.url);
    const second = await migrate('--from', 'leveldb');
    assert.equal(second.status, 3);
    assert.match(second.talk, new RegExp(`is in use by .*/${distributed.child.pid}/.*Stop all cores first`));
    await distributed.child.stop();
    await flush(cluster);
  });

  test('a core refuses the target of a killed migration, and the migration goes on when it is run again', async () => {
    await killHalfway();
    await assert.rejects(startCore(directory, cluster.url), UNFINISHED);
    const { entries, written, removed } = await migrated('--from', 'leveldb');
    assert.equal(entries, original.size);
    assert.ok(written > 0 && written < entries, `${written} of ${entries}`);
    assert.equal(removed, 0);
    assert.deepEqual(
      readdirSync(directory).filter(name => name.startsWith('migration-copy-')),
      [],
    );
    assert.deepEqual(await storedEntries(directory), original);
  });

  test('a second migration to the same target writes nothing, because everything is already copied', async () => {
    const { entries, written } = await migrated('--from', 'leveldb');
    assert.deepEqual({ entries, written }, { entries: original.size, written: 0 });
  });

  test('after the old embedded store was moved away, a migration from the cluster brings all its entries back', async t => {
    const report = await migrated('--from', 'leveldb');
    renameSync(join(directory, 'leveldb'), join(directory, 'leveldb.old'));
    const back = await migrated('--to', 'leveldb');
    t.diagnostic(`to the cluster: ${report.seconds} s, back: ${back.seconds} s`);
    assert.deepEqual(back.kinds, report.kinds);
    assert.equal(back.written, original.size);
    assert.deepEqual(await storedEntries(directory), original);
  });

  test('a core gives the same answers from the embedded store and from the cluster', async () => {
    const embedded = await startCore(directory);
    const answers = await fetchSome(embedded);
    assert.equal(answers.filter(({ payload }) => payload !== null).length, 50);
    await embedded.child.stop();
    const distributed = await startCore(directory, cluster.url);
    assert.deepEqual(await fetchSome(distributed), answers);
    const refused = await migrate('--to', 'leveldb');
    assert.equal(refused.status, 3);
    assert.match(refused.talk, new RegExp(`/${distributed.child.pid}/`));
    await distributed.child.stop();
  });

  test('a migration does not overwrite data in the target that the source does not have', async () => {
    const { status, talk } = await migrate('--to', 'leveldb');
    assert.equal(status, 3);
    assert.match(talk, /already contains other data, for example the entry/);
    const there = await migrate('--from', 'leveldb');
    assert.match(there.talk, /already contains other data, for example the entry/);
  });

  test('gsq migrate --abort removes what a killed migration has copied to the cluster', async () => {
    await flush(cluster);
    const nothing = await migrate('--abort');
    assert.equal(nothing.status, 3);
    assert.match(nothing.talk, /is not the target of an unfinished migration; nothing was changed/);
    await killHalfway();
    const { status, out, talk } = await migrate('--abort', '--json');
    assert.equal(status, 0, talk);
    assert.ok(JSON.parse(out).removed > 0, out);
    const core = await startCore(scratchDirectory(), cluster.url);
    await core.child.stop();
  });

  test('after a killed migration to the embedded store, a core refuses it, and the migration can be aborted or finished', async () => {
    await flush(cluster);
    await migrated('--from', 'leveldb');
    const other = scratchDirectory();
    for (const key of ['token.key', 'credentials.key']) copyFileSync(join(directory, key), join(other, key));
    await killHalfway(cluster.url, 'leveldb', other);
    await assert.rejects(
      startCore(other),
      /is the target of an unfinished migration from the store at redis:/,
    );
    const aborted = await migrate('--abort', '--to', 'leveldb', '--data-dir', other);
    assert.match(aborted.talk, /[1-9]\d* copied entries removed/);
    assert.equal(existsSync(join(other, 'leveldb')), false);
    await killHalfway(cluster.url, 'leveldb', other);
    const { entries, written } = await migrated('--to', 'leveldb', '--data-dir', other);
    assert.ok(written > 0 && written < entries, `${written} of ${entries}`);
    assert.deepEqual(await storedEntries(other), await storedEntries(directory));
    assert.equal((await fetchSome(await startCore(other))).length, 50);
  });

  test('a migration to a data directory without the key files of the data is refused', async () => {
    const empty = scratchDirectory();
    const { status, talk } = await gsq(
      { GSQ_STORE: cluster.url },
      'migrate',
      '--to',
      'leveldb',
      '--data-dir',
      empty,
    );
    assert.equal(status, 3);
    assert.match(talk, /credentials\.key is missing[\s\S]*token\.key is missing/);
  });
});
