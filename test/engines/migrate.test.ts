import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, existsSync, readdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { after, before, describe, test } from 'node:test';
import { status as grpcStatus, type ServiceError } from '@grpc/grpc-js';
import { LevelDbStore } from '../../core/store/leveldb/leveldb-store.ts';
import { isMarker } from '../../core/store/migration-marker.ts';
import { scriptArguments } from '../../runtime/script.ts';
import { addressAt, gameAt, writeTrackedServers } from '../bench/tracked-servers.ts';
import { gsq } from '../cli/gsq-command.ts';
import { fetchServers } from '../contract/grpc.ts';
import { CoreProcess } from '../faults/core-process.ts';
import { scratchDirectory } from '../system/scratch-directory.ts';
import { INTERNAL_SECRET } from '../system/stack-settings.ts';
import { until } from '../system/until.ts';
import { EngineCluster } from './engine-cluster.ts';
import { endLeases, flush } from './redis-stores.ts';
import { KEPT, writeHistory } from './written-history.ts';

/**
 * Number of servers in the migrated store. For the long form of this test, TEST_MIGRATED_SERVERS can set a larger
 * number.
 */
const SERVERS = Number(process.env.TEST_MIGRATED_SERVERS ?? 20_000);
/** Maximum time of this test: 10 minutes for each 20,000 servers. */
const TIMEOUT_MS = 600_000 * Math.ceil(SERVERS / 20_000);
/** Longest time that a core may take to load all servers from the cluster, ms. */
const LOADED_MS = 120_000;
const PASSWORD = 'the-password-of-the-engine';
const OFFLINE = resolve(import.meta.dirname, '../../core/offline.ts');
const UNFINISHED = /is the target of an unfinished migration from the store in .*gsq migrate/;

interface Report {
  entries: number;
  written: number;
  removed: number;
  history: number;
  kinds: { kind: string; entries: number; digest: string }[];
}

/** Returns all entries of the embedded store in a data directory, keyed by entry key. The values are in base64. */
async function storedEntries(directory: string): Promise<Map<string, string>> {
  const engine = await LevelDbStore.open(join(directory, 'leveldb'), error => assert.fail(error));
  const entries = new Map<string, string>();
  for await (const piece of engine.pieces())
    for (const [key, value] of piece) if (!isMarker(key)) entries.set(key, value.toString('base64'));
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

describe(`gsq migrate with ${SERVERS} servers`, { timeout: TIMEOUT_MS }, () => {
  const directory = scratchDirectory();
  let cluster: EngineCluster;
  let original: Map<string, string>;
  let historyEntries: number;
  const cores: CoreProcess[] = [];

  before(async () => {
    cluster = await EngineCluster.start('valkey', { login: { password: PASSWORD } });
    await writeData(directory);
    await writeHistory(directory);
    original = await storedEntries(directory);
  });
  after(async () => {
    for (const { child } of cores) await child.stop('SIGKILL');
    await cluster?.stop();
  });

  async function startCore(data: string, store = 'leveldb'): Promise<CoreProcess> {
    const core = await CoreProcess.start(data, { ...KEPT, GSQ_STORE: store });
    cores.push(core);
    return core;
  }

  /** Runs `gsq migrate` with the URL of the cluster in GSQ_STORE. */
  async function migrate(...args: string[]) {
    const result = await gsq(
      { ...KEPT, GSQ_STORE: cluster.url, GSQ_DATA_DIR: directory },
      'migrate',
      ...args,
    );
    assert.doesNotMatch(result.out + result.talk, new RegExp(PASSWORD));
    return result;
  }

  async function migrated(...args: string[]): Promise<Report & { seconds: number }> {
    const began = performance.now();
    const { status, out, talk } = await migrate(...args, '--json');
    assert.equal(status, 0, talk);
    return { ...(JSON.parse(out) as Report), seconds: Math.round(performance.now() - began) / 1000 };
  }

  /** Starts a migration, and kills its process as soon as the step `phase` of the migration has processed an entry. */
  async function killHalfway(
    { from = 'leveldb', to = cluster.url, data = directory },
    phase = 'copying',
  ): Promise<void> {
    const env = { ...process.env, ...KEPT, GSQ_DATA_DIR: data, MIGRATE_FROM: from, MIGRATE_TO: to };
    const child = spawn(process.execPath, [...scriptArguments(OFFLINE), 'migrate'], {
      env,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const some = new RegExp(`"${phase}","done":[1-9]`);
    for await (const line of createInterface(child.stdout)) if (some.test(line)) break;
    child.kill('SIGKILL');
    const [, signal] = child.exitCode === null ? await once(child, 'close') : [];
    assert.equal(signal, 'SIGKILL');
    await endLeases(cluster);
  }

  /** Returns the number of keys of the history in the cluster. */
  async function historyKeys(): Promise<number> {
    const keys = await Promise.all(cluster.masters.map(node => node.command('KEYS', 'gsq-history:*')));
    return keys.flat().length;
  }

  test('refuses a target that a core uses, and names the core', async () => {
    const distributed = await startCore(scratchDirectory(), cluster.url);
    const { status, talk } = await migrate('--from', 'leveldb');
    assert.equal(status, 3);
    assert.match(talk, new RegExp(`is in use by .*/${distributed.child.pid}/.*Stop all cores`));
    const aborted = await migrate('--abort');
    assert.match(
      aborted.talk,
      new RegExp(`in use by .*/${distributed.child.pid}/.*finished, and cannot be aborted`),
    );
    await distributed.child.stop();
    await flush(cluster);
  });

  test('continues a killed migration when it runs again', async () => {
    await killHalfway({});
    await assert.rejects(startCore(directory, cluster.url), UNFINISHED);
    const { entries, written, removed, history } = await migrated('--from', 'leveldb');
    assert.equal(entries, original.size);
    assert.ok(history > 12 * 30, String(history));
    historyEntries = history;
    assert.ok(written > 0 && written < entries, `${written} of ${entries}`);
    assert.equal(removed, 0);
    assert.deepEqual(await storedEntries(directory), original);
  });

  test('makes the old store unusable for cores and for a second migration', async () => {
    await assert.rejects(startCore(directory), /was moved to the store at redis:.*GSQ_STORE/);
    const { status, talk } = await migrate('--from', 'leveldb');
    assert.equal(status, 3);
    assert.match(talk, /was already moved, to the store at redis:/);
  });

  test('keeps every entry when the data moves back to the embedded store and again to the Valkey cluster', async t => {
    const back = await migrated('--to', 'leveldb');
    assert.deepEqual(await storedEntries(directory), original);
    assert.equal(back.history, historyEntries);
    assert.ok(existsSync(join(directory, 'history.old')));
    await assert.rejects(startCore(directory, cluster.url), /was moved to the store in .*leveldb/);
    const embedded = await startCore(directory);
    const answers = await fetchSome(embedded);
    assert.equal(answers.filter(({ payload }) => payload !== null).length, 50);
    await embedded.child.stop();
    const there = await migrated('--from', 'leveldb');
    t.diagnostic(`to the embedded store: ${back.seconds} s, to the cluster: ${there.seconds} s`);
    // The migration back to the cluster can copy more entries than the migration to the embedded store did: a core ran
    // between the two migrations, and may have stored new token usage.
    assert.ok(there.entries >= back.entries, `${there.entries} of ${back.entries}`);
    assert.equal(there.history, historyEntries);
    const distributed = await startCore(directory, cluster.url);
    // A core is ready before it has loaded all servers from the cluster. It refuses fetches until all are loaded.
    const look = () => fetchSome(distributed).catch(({ code }: ServiceError) => code);
    const found = await until('an answer', look, answer => answer !== grpcStatus.UNAVAILABLE, LOADED_MS);
    assert.deepEqual(found, answers);
    await distributed.child.stop();
  });

  test('refuses a target that already contains other data', async () => {
    const other = scratchDirectory();
    for (const key of ['token.key', 'credentials.key']) copyFileSync(join(directory, key), join(other, key));
    const core = await startCore(other);
    await fetchSome(core);
    await core.child.stop();
    const { status, talk } = await migrate('--to', 'leveldb', '--data-dir', other);
    assert.equal(status, 3);
    assert.match(talk, /already contains other data, for example the entry/);
    const there = await migrate('--from', 'leveldb', '--data-dir', other);
    assert.match(there.talk, /already contains other data, for example the entry/);
    await migrated('--to', 'leveldb');
  });

  test('removes the data that a killed migration has copied to the Valkey cluster, if the option --abort is given', async () => {
    await flush(cluster);
    const nothing = await migrate('--abort');
    assert.equal(nothing.status, 3);
    assert.match(nothing.talk, /is not the target of an unfinished migration; nothing was changed/);
    await killHalfway({}, 'comparing the history');
    assert.ok((await historyKeys()) > 0);
    const { status, out, talk } = await migrate('--abort', '--json');
    assert.equal(status, 0, talk);
    assert.ok(JSON.parse(out).removed > 0, out);
    assert.equal(await historyKeys(), 0);
    const core = await startCore(scratchDirectory(), cluster.url);
    await core.child.stop();
  });

  test('can abort or finish a killed migration to the embedded store', async () => {
    await flush(cluster);
    await migrated('--from', 'leveldb');
    original = await storedEntries(directory);
    const other = scratchDirectory();
    for (const key of ['token.key', 'credentials.key']) copyFileSync(join(directory, key), join(other, key));
    const there = { from: cluster.url, to: 'leveldb', data: other };
    await killHalfway(there, 'comparing the history');
    assert.ok(existsSync(join(other, 'history.migrating')));
    await assert.rejects(
      startCore(other),
      /is the target of an unfinished migration from the store at redis:/,
    );
    const aborted = await migrate('--abort', '--to', 'leveldb', '--data-dir', other);
    assert.match(aborted.talk, /[1-9]\d* copied entries removed/);
    assert.deepEqual(readdirSync(other).sort(), ['credentials.key', 'token.key']);
    await killHalfway(there);
    const { entries, written, history } = await migrated('--to', 'leveldb', '--data-dir', other);
    assert.ok(written > 0 && written < entries, `${written} of ${entries}`);
    assert.deepEqual(await storedEntries(other), original);
    assert.equal(history, historyEntries);
    assert.ok(existsSync(join(other, 'history', 'history.key')));
    assert.equal((await fetchSome(await startCore(other))).length, 50);
  });

  test('refuses a target directory that lacks the files credentials.key and token.key', async () => {
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
