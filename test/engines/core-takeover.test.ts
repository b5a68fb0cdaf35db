import assert from 'node:assert/strict';
import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { exitStatus } from '../../runtime/lifecycle.ts';
import { CoreProcess } from '../faults/core-process.ts';
import { Trial } from '../faults/trial.ts';
import { scratchDirectory } from '../system/scratch-directory.ts';
import { until } from '../system/until.ts';
import { EngineCluster } from './engine-cluster.ts';
import type { EngineKind } from './engine-program.ts';

/** Number of inserts that a core acknowledges before a test causes a fault. */
const SOME = 400;

/** Resolves when the core has acknowledged `count` more inserts of the load. */
async function acknowledge(load: { acknowledged: number }, count: number): Promise<void> {
  const target = load.acknowledged + count;
  await until(
    'acknowledged inserts',
    async () => load.acknowledged,
    done => done >= target,
    60_000,
  );
}

/** Starts a core that waits until the owner of the store ends. Resolves when the core reports that it waits. */
async function startStandby(directory: string, env: Record<string, string>): Promise<CoreProcess> {
  const core = await CoreProcess.spawn(directory, { ...env, GSQ_LOG_LEVEL: 'info' });
  await until(
    'a core that waits as a standby',
    async () => core.child.report,
    report => report.includes('another core owns the store'),
    30_000,
  );
  return core;
}

/** The storage engines to test. For the long form of this test, TEST_ENGINES can name others, separated by a space. */
const KINDS = (process.env.TEST_ENGINES ?? 'valkey').split(' ') as EngineKind[];

for (const kind of KINDS) {
  describe(`two cores with one store on a cluster of ${kind}`, { timeout: 240_000 }, () => {
    const directories = [scratchDirectory(), scratchDirectory()] as const;
    let cluster: EngineCluster;
    let env: Record<string, string>;
    let trial: Trial;
    let owner: CoreProcess;

    /** Starts a standby core. Then `end` ends the present owner, so that the standby becomes the owner. */
    async function takeOver(end: (core: CoreProcess) => Promise<void>): Promise<void> {
      const standby = await startStandby(
        trial.directory === directories[0] ? directories[1] : directories[0],
        env,
      );
      await end(owner);
      await standby.address('GSQ_GRPC_ADDR');
      owner = standby;
    }

    before(async () => {
      cluster = await EngineCluster.start(kind, { appendOnly: true });
      env = { GSQ_STORE: cluster.url };
      trial = new Trial(directories[0], 7);
      owner = await CoreProcess.start(directories[0], env);
      // Both cores must hash the secrets of tokens with the same key.
      copyFileSync(join(directories[0], 'token.key'), join(directories[1], 'token.key'));
    });
    after(async () => {
      await owner?.child.stop('SIGKILL');
      await cluster?.stop();
    });

    test('the standby takes over after the owner is killed', async () => {
      const load = await trial.load(owner);
      await acknowledge(load, SOME);
      await takeOver(async core => void (await core.child.stop('SIGKILL')));
      await load.stop();
    });

    test('the standby takes over after the owner is stopped with SIGTERM', async () => {
      const load = await trial.load(owner);
      await acknowledge(load, SOME);
      await takeOver(async core => assert.equal(await core.child.stop(), exitStatus.ok));
      await load.stop();
    });

    test('an owner that stands still loses the store to the standby, and ends when it continues', async () => {
      const load = await trial.load(owner);
      await acknowledge(load, SOME);
      const stopped = owner;
      await takeOver(async core => void core.child.process.kill('SIGSTOP'));
      const next = await trial.load(owner);
      await acknowledge(next, SOME);
      stopped.child.process.kill('SIGCONT');
      assert.equal(await stopped.child.ended, exitStatus.failed);
      assert.match(stopped.child.report, /another core has taken over, this process ends/);
      await load.stop();
      await next.stop();
    });

    test('while a master has no replica, the owner acknowledges no insert but answers fetches of known servers; when the replica is back, inserts go on', async () => {
      const load = await trial.load(owner);
      await acknowledge(load, SOME);
      const [master] = cluster.masters;
      assert.ok(master);
      await cluster.kill(master);
      await load.stop();
      const asking = await trial.load(owner, { callers: 0 });
      // So many hosts that some of them belong to the buckets of the killed master.
      const hosts = Array.from({ length: 60 }, (_, i) => `127.200.0.${i + 1}:30000`);
      await asking.fetch(hosts);
      assert.equal(asking.acknowledged, 0);
      assert.equal(await asking.fetch(trial.history.acknowledged.slice(0, 100)), true);
      await cluster.restart(master);
      await cluster.settled();
      await until(
        'a store that accepts inserts',
        () => owner.metric('gsq_store_writable'),
        value => value === 1,
        60_000,
      );
      const after = await trial.load(owner);
      await acknowledge(after, SOME);
      await after.stop();
      await asking.stop();
      assert.equal(owner.child.running, true, owner.child.report);
    });

    test('after all take-overs of the tests above, no acknowledged insert is lost', async () => {
      await owner.child.stop();
      await trial.audit(env);
      const { faults, figures } = trial.verdict();
      assert.deepEqual(faults, [], figures);
      assert.ok(trial.history.acknowledged.length >= 6 * SOME, figures);
    });
  });
}
