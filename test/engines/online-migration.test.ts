import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { after, before, describe, test } from 'node:test';
import { scriptArguments } from '../../runtime/script.ts';
import { addressAt, gameAt, writeTrackedServers } from '../bench/tracked-servers.ts';
import { gsq } from '../cli/gsq-command.ts';
import { DAY } from '../core/store/history/opened-history.ts';
import { FREE } from '../faults/core-process.ts';
import { freePort } from '../peers/free-port.ts';
import { scratchDirectory } from '../system/scratch-directory.ts';
import { ServiceProcess } from '../system/service-process.ts';
import { INTERNAL_SECRET, stackDefaults } from '../system/stack-settings.ts';
import { until } from '../system/until.ts';
import { EngineCluster } from './engine-cluster.ts';
import { checkKnown, OnlineLoad } from './online-load.ts';
import { endLeases } from './redis-stores.ts';
import { checkHistory, KEPT, readHistory, type ShownHistory, writeHistory } from './written-history.ts';

/** Number of servers before the migration. For a longer test, set TEST_MIGRATED_SERVERS to a larger number. */
const SERVERS = Number(process.env.TEST_MIGRATED_SERVERS ?? 2_000);
/** Maximum time of this test: 10 minutes for each 20,000 servers. */
const TIMEOUT_MS = 600_000 * Math.ceil(SERVERS / 20_000);
const OFFLINE = resolve(import.meta.dirname, '../../core/offline.ts');
/** Number of acknowledged inserts for which the test waits before and after each step of a migration. */
const SOME = 20;

interface Report {
  entries: number;
  history: number;
  windowMs: number;
}

async function refusedSoon(load: OnlineLoad): Promise<void> {
  const count = load.refused.length;
  await until(
    'a refused insert',
    () => load.refused.length,
    now => now > count,
  );
}

describe(`gsq migrate of ${SERVERS} servers while gsq runs`, { timeout: TIMEOUT_MS }, () => {
  const directories = [scratchDirectory(), scratchDirectory()] as const;
  const known = Array.from({ length: SERVERS }, (_, i) => i)
    .filter(i => gameAt(i) === 'rust')
    .slice(0, 200)
    .map(addressAt);
  const internal: string[] = [];
  const acknowledged: string[] = [];
  const running: ServiceProcess[] = [];
  const loads: OnlineLoad[] = [];
  let cluster: EngineCluster;
  let gateway: ServiceProcess;
  let http: string;
  const began = Date.now();
  let written: ShownHistory;

  async function startCore(i: 0 | 1, store: string): Promise<ServiceProcess> {
    if (i > 0) copyFileSync(join(directories[0], 'token.key'), join(directories[i], 'token.key'));
    const own = { GSQ_STORE: store, GSQ_DATA_DIR: directories[i], GSQ_INTERNAL_ADDR: internal[i] ?? '' };
    const core = await ServiceProcess.start('core', { ...stackDefaults, ...FREE, ...KEPT, ...own });
    running.push(core);
    return core;
  }

  const settings = () => ({
    ...{ GSQ_DATA_DIR: directories[0], GSQ_INTERNAL_ADDR: internal[0] ?? '' },
    ...{ ...KEPT, GSQ_INTERNAL_SECRET: INTERNAL_SECRET, GSQ_STORE: cluster.url },
  });

  /** Starts a migration, and kills its process when it has reported all `phases` (steps of the migration). */
  async function killIn(phases: readonly string[], from: string, to: string): Promise<void> {
    const env = { ...process.env, ...settings(), MIGRATE_FROM: from, MIGRATE_TO: to };
    const argv = [...scriptArguments(OFFLINE), 'migrate'];
    const child: ChildProcess = spawn(process.execPath, argv, { env, stdio: ['ignore', 'pipe', 'inherit'] });
    assert.ok(child.stdout);
    const left = [...phases];
    for await (const line of createInterface(child.stdout)) {
      if (line.includes(`"${left[0]}"`)) left.shift();
      if (left.length === 0) break;
    }
    child.kill('SIGKILL');
    if (child.exitCode === null && child.signalCode === null) await once(child, 'close');
    assert.equal(child.signalCode, 'SIGKILL');
  }

  async function migrated(...args: string[]): Promise<Report> {
    const { status, out, talk } = await gsq(settings(), 'migrate', ...args, '--json');
    assert.equal(status, 0, talk);
    return JSON.parse(out) as Report;
  }

  function startLoad(prefix: string): OnlineLoad {
    const load = new OnlineLoad(http, known, prefix);
    loads.push(load);
    return load;
  }

  async function insertsWork(): Promise<void> {
    const load = startLoad('127.14');
    await load.more(SOME);
    await load.stop();
    acknowledged.push(...load.acknowledged);
  }

  /**
   * Checks the calls that were made during a migration. gsq must have answered every fetch of a known server. While the
   * store was read-only, gsq may have refused inserts with the reason `insert_quota`.
   */
  function checkLoad(load: OnlineLoad): void {
    assert.deepEqual(load.failed, [], 'no fetch of a known server failed');
    assert.deepEqual(
      load.refused.filter(reason => reason !== 'insert_quota'),
      [],
    );
    assert.ok(load.fetched > 0);
  }

  before(async () => {
    for (const _ of directories) internal.push(`127.0.0.1:${await freePort()}`);
    cluster = await EngineCluster.start('valkey', { login: { password: 'the-password-of-the-engine' } });
    await writeTrackedServers(directories[0], SERVERS, {
      insertedAt: began - 7 * DAY,
      hasOpenHours: false,
    });
    await writeHistory(directories[0]);
    await startCore(0, 'leveldb');
    gateway = await ServiceProcess.start('gateway', {
      ...stackDefaults,
      GSQ_INTERNAL_ADDR: internal[0] ?? '',
    });
    http = gateway.address('GSQ_HTTP_ADDR');
    written = await readHistory(http, began);
    assert.match(written.texts.join(), /"players.*"reason"/);
  });
  after(async () => {
    for (const load of loads) await load.stop();
    for (const { child } of [...running, gateway]) await child?.stop('SIGKILL');
    await cluster?.stop();
  });

  test('moves all data from LevelDB to Valkey after earlier calls of gsq migrate were killed or aborted', async t => {
    const load = startLoad('127.10');
    await load.more(SOME);
    for (const phase of ['copying the history', 'following changes', 'last changes']) {
      await killIn([phase], 'leveldb', cluster.url);
      await endLeases(cluster);
      if (phase !== 'last changes') await load.more(SOME);
    }
    const aborted = await gsq(settings(), 'migrate', '--abort', '--to', cluster.url);
    assert.equal(aborted.status, 0, aborted.talk);
    await load.more(SOME);
    await killIn(['last changes', 'copying the history'], 'leveldb', cluster.url);
    await endLeases(cluster);
    await refusedSoon(load);
    const start = performance.now();
    const { entries, history, windowMs } = await migrated('--from', 'leveldb');
    const seconds = Math.round(performance.now() - start) / 1000;
    assert.ok(entries > SERVERS);
    assert.ok(history > 12 * 30, String(history));
    await refusedSoon(load);
    await load.stop();
    checkLoad(load);
    acknowledged.push(...load.acknowledged);
    t.diagnostic(
      `${entries} entries and ${history} of the history in ${seconds} s, window ${windowMs} ms, ${load.fetched} fetches`,
    );
  });

  test('loses no acknowledged insert when the cores switch to Valkey', async t => {
    const load = startLoad('127.11');
    await running[0]?.child.stop();
    await assert.rejects(startCore(0, 'leveldb'), /was moved to the store at redis:/);
    await Promise.all([startCore(0, cluster.url), startCore(1, cluster.url)]);
    await load.more(SOME);
    await load.stop();
    t.diagnostic(`fetches failed for ${Math.round(load.gapMs)} ms while the cores were replaced`);
    acknowledged.push(...load.acknowledged);
    await checkKnown(http, acknowledged);
    await checkKnown(http, known);
    await checkHistory(http, began, written);
  });

  test('moves all data of two cores from Valkey to LevelDB after an earlier gsq migrate was killed', async t => {
    const load = startLoad('127.12');
    await load.more(SOME);
    await killIn(['last changes'], cluster.url, 'leveldb');
    await load.more(SOME);
    const { entries, windowMs } = await migrated('--to', 'leveldb');
    await refusedSoon(load);
    await load.stop();
    checkLoad(load);
    acknowledged.push(...load.acknowledged);
    t.diagnostic(`${entries} entries, window ${windowMs} ms, ${load.fetched} fetches`);
    const refused = assert.rejects(startCore(1, cluster.url), /was moved to the store in .*leveldb/);
    for (const { child } of running) await child.stop();
    await refused;
    await startCore(0, 'leveldb');
    await insertsWork();
    await checkKnown(http, acknowledged);
    await checkHistory(http, began, written);
  });
});
