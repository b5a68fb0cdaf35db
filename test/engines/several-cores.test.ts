import assert from 'node:assert/strict';
import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { ALL_BUCKETS } from '../../core/cluster/buckets.ts';
import { exitStatus } from '../../runtime/lifecycle.ts';
import { CoreProcess } from '../faults/core-process.ts';
import type { InsertLoad } from '../faults/insert-load.ts';
import { Trial } from '../faults/trial.ts';
import { scratchDirectory } from '../system/scratch-directory.ts';
import { until } from '../system/until.ts';
import { EngineCluster } from './engine-cluster.ts';
import type { EngineKind } from './engine-program.ts';

/** Number of inserts that a core acknowledges before a test causes a fault. */
const SOME = 400;
const CORES = 3;
/** Pause of a caller of the load after each answer, in milliseconds. */
const PAUSE_MS = 5;

/** The storage engines to test. For the long form of this test, TEST_ENGINES can name others, separated by a space. */
const KINDS = (process.env.TEST_ENGINES ?? 'valkey').split(' ') as EngineKind[];

for (const kind of KINDS) {
  describe(`${CORES} cores with one store on a cluster of ${kind}`, { timeout: 240_000 }, () => {
    const directories = Array.from({ length: CORES }, scratchDirectory);
    const trial = new Trial(directories[0] ?? '', 7, true);
    const cores: CoreProcess[] = [];
    let loads: InsertLoad[] = [];
    let cluster: EngineCluster;

    async function startCore(i: number): Promise<CoreProcess> {
      const [first = '', directory = ''] = [directories[0], directories[i]];
      // All cores must hash the secrets of tokens with the same key.
      if (i > 0) copyFileSync(join(first, 'token.key'), join(directory, 'token.key'));
      const core = await CoreProcess.start(directory, { GSQ_STORE: cluster.url, GSQ_LOG_LEVEL: 'info' });
      cores[i] = core;
      return core;
    }

    const running = (): CoreProcess[] => cores.filter(({ child }) => child.running);
    const report = (): string => cores.map(({ child }) => child.report).join('\n');

    /** Resolves when all buckets have an owner, and each running core has about the same number of them. */
    async function balanced(): Promise<void> {
      const buckets = (): Promise<number[]> =>
        Promise.all(running().map(core => core.metric('gsq_cluster_buckets').catch(() => 0)));
      const fair = (count: number): boolean =>
        Math.abs(count * running().length - ALL_BUCKETS) < ALL_BUCKETS / 4;
      await until(
        'buckets with an owner',
        buckets,
        counts => counts.reduce((sum, count) => sum + count, 0) === ALL_BUCKETS && counts.every(fair),
        60_000,
      ).catch(error => {
        throw new Error(`${error}\n${report()}`);
      });
    }

    /** Starts callers of all running cores. They go on after errors. */
    async function startLoads(): Promise<void> {
      const options = { callers: 2, pauseMs: PAUSE_MS, goesOn: true };
      loads = await Promise.all(running().map(core => trial.load(core, options)));
    }

    async function stopLoads(): Promise<void> {
      await Promise.all(loads.map(load => load.stop()));
    }

    /** Resolves when callers have `count` more acknowledged inserts through each of these loads. */
    async function acknowledge(which: readonly InsertLoad[], count: number): Promise<void> {
      const targets = which.map(({ acknowledged }) => acknowledged + count);
      await until(
        'acknowledged inserts',
        () => which.map(({ acknowledged }, i) => (targets[i] ?? 0) - acknowledged),
        missing => missing.every(each => each <= 0),
        60_000,
      ).catch(error => {
        throw new Error(`${error}\n${report()}`);
      });
    }

    before(async () => {
      cluster = await EngineCluster.start(kind, { appendOnly: true });
      for (let i = 0; i < CORES; i++) await startCore(i);
      await balanced();
    });
    after(async () => {
      await Promise.all(cores.map(({ child }) => child.stop('SIGKILL')));
      await cluster?.stop();
    });

    test('callers insert servers through each core, and each core answers for the servers of all', async () => {
      await startLoads();
      await acknowledge(loads, SOME);
      await stopLoads();
      const known = trial.history.acknowledged.slice(0, 300);
      const readers = await Promise.all(running().map(core => trial.load(core, { callers: 0 })));
      for (const reader of readers) assert.equal(await reader.fetch(known), true);
      for (const reader of readers) await reader.stop();
    });

    test('after a core is killed, the others take over its buckets and go on', async () => {
      await startLoads();
      await acknowledge(loads, SOME);
      const [victim] = cores;
      await victim?.child.stop('SIGKILL');
      await balanced();
      await acknowledge(loads.slice(1), SOME);
      await stopLoads();
      await startCore(0);
      await balanced();
    });

    test('a core that is stopped with SIGTERM gives its buckets to the others', async () => {
      await startLoads();
      await acknowledge(loads, SOME);
      assert.equal(await cores[1]?.child.stop(), exitStatus.ok, report());
      await balanced();
      await acknowledge(
        [loads[0], loads[2]].filter(load => load !== undefined),
        SOME,
      );
      await stopLoads();
      await startCore(1);
      await balanced();
    });

    test('a core that stands still loses its buckets, and ends when it continues', async () => {
      await startLoads();
      await acknowledge(loads, SOME);
      const stopped = cores[2];
      stopped?.child.signal('SIGSTOP');
      try {
        await acknowledge(loads.slice(0, 2), SOME);
        const buckets = async (): Promise<number> => {
          const counts = await Promise.all(cores.slice(0, 2).map(core => core.metric('gsq_cluster_buckets')));
          return counts.reduce((sum, count) => sum + count, 0);
        };
        await until('owners of all buckets', buckets, sum => sum === ALL_BUCKETS, 60_000);
      } finally {
        stopped?.child.signal('SIGCONT');
      }
      assert.equal(await stopped?.child.ended, exitStatus.failed, report());
      await stopLoads();
      await startCore(2);
      await balanced();
    });

    test('after all tests above, no acknowledged insert is lost, and no server was inserted twice', async () => {
      await Promise.all(cores.map(({ child }) => child.stop()));
      await trial.audit({ GSQ_STORE: cluster.url });
      const { faults, figures } = trial.verdict();
      assert.deepEqual(faults, [], figures);
      assert.ok(trial.history.acknowledged.length >= 6 * SOME, figures);
    });
  });
}
