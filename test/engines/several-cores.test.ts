import assert from 'node:assert/strict';
import { once } from 'node:events';
import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import type { ServiceError as GrpcError } from '@grpc/grpc-js';
import { ALL_BUCKETS } from '../../core/cluster/buckets.ts';
import { clients } from '../../proto/clients.ts';
import type { ServerServiceListServersResponse__Output } from '../../proto/generated/gsq/v1/ServerServiceListServersResponse.ts';
import { fromGrpcStatus } from '../../proto/service-error.ts';
import { exitStatus } from '../../runtime/lifecycle.ts';
import { credentialMetadata, deadline } from '../contract/grpc.ts';
import { unary } from '../core/rpc/answer.ts';
import { CoreProcess } from '../faults/core-process.ts';
import type { InsertLoad } from '../faults/insert-load.ts';
import { Trial } from '../faults/trial.ts';
import { scratchDirectory } from '../system/scratch-directory.ts';
import { until } from '../system/until.ts';
import { EngineCluster } from './engine-cluster.ts';
import { enginesToTest } from './engine-program.ts';
import { type Owners, readOwners } from './faults/owners.ts';

/**
 * Number of inserts that each core must acknowledge before a test kills or stops a core. After that, each remaining
 * core must acknowledge this number of inserts once more.
 */
const SOME = 400;
const CORES = 3;
/** Pause of each inserting caller after an answer, in milliseconds. */
const PAUSE_MS = 5;

for (const kind of enginesToTest(['valkey'])) {
  describe(`with ${CORES} cores on ${kind}`, { timeout: 240_000 }, () => {
    const directories = Array.from({ length: CORES }, scratchDirectory);
    const trial = new Trial(directories[0] ?? '', 7, true);
    const cores: CoreProcess[] = [];
    let loads: InsertLoad[] = [];
    let cluster: EngineCluster;

    async function startCore(i: number): Promise<CoreProcess> {
      const [first = '', directory = ''] = [directories[0], directories[i]];
      // All cores get the same token key, because they must all hash the secrets of tokens with the same key.
      if (i > 0) copyFileSync(join(first, 'token.key'), join(directory, 'token.key'));
      const core = await CoreProcess.start(directory, { GSQ_STORE: cluster.url, GSQ_LOG_LEVEL: 'info' });
      cores[i] = core;
      return core;
    }

    const running = (): CoreProcess[] => cores.filter(({ child }) => child.running);
    const report = (): string => cores.map(({ child }) => child.report).join('\n');

    /**
     * Resolves when each bucket (group of servers) has an owner, and the running cores own about equally many
     * buckets.
     */
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

    /** Starts callers that insert servers through all running cores. They continue after errors. */
    async function startLoads(): Promise<void> {
      const options = { callers: 2, pauseMs: PAUSE_MS, goesOn: true };
      loads = await Promise.all(running().map(core => trial.load(core, options)));
    }

    async function stopLoads(): Promise<void> {
      await Promise.all(loads.map(load => load.stop()));
    }

    /** Resolves when each `InsertLoad` in `which` has got `count` more acknowledgements of inserts. */
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

    /**
     * Stops a core with SIGTERM while a caller reads a stream of server changes from this core. When the stream has
     * ended, reads the owner of each bucket. Returns the address of the stopped core, and the owners.
     */
    async function readUntilEnd(core: CoreProcess | undefined): Promise<[string, Owners['ofBucket']]> {
      assert.ok(core);
      const client = clients.server(await core.address('GSQ_GRPC_ADDR'));
      const stream = client.watchServers(
        { servers: [{ gameId: trial.game, servers: trial.history.acknowledged.slice(0, 5) }] },
        credentialMetadata(),
      );
      await once(stream, 'data');
      const ended = once(stream, 'end');
      stream.resume();
      const stopped = core.child.stop();
      await ended;
      const { ofBucket } = await readOwners(cluster);
      client.close();
      assert.equal(await stopped, exitStatus.ok, report());
      return [await core.address('GSQ_INTERNAL_ADDR'), ofBucket];
    }

    before(async () => {
      cluster = await EngineCluster.start(kind, { appendOnly: true });
      for (let i = 0; i < CORES; i++) await startCore(i);
      await balanced();
    });
    after(async () => {
      await Promise.all(cores.map(({ child }) => child.stop('SIGKILL')));
      // Stops the inserting callers. Without this step, they would repeat their fetches forever after a failed test.
      await stopLoads();
      await cluster?.stop();
    });

    test('callers insert servers through each core, and each core answers fetches of all these servers', async () => {
      await startLoads();
      await acknowledge(loads, SOME);
      await stopLoads();
      const known = trial.history.acknowledged.slice(0, 300);
      const readers = await Promise.all(running().map(core => trial.load(core, { callers: 0 })));
      for (const reader of readers) assert.equal(await reader.fetch(known), true);
      for (const reader of readers) await reader.stop();
    });

    test('while a core leaves and joins again, each search finds all servers or fails with CORE_1', async t => {
      const [, entry, moving] = cores as [CoreProcess, CoreProcess, CoreProcess];
      const client = clients.server(await entry.address('GSQ_GRPC_ADDR'));
      t.after(() => client.close());
      const metadata = credentialMetadata();
      const search = async (): Promise<number | string> => {
        const page = await unary<ServerServiceListServersResponse__Output>(done =>
          client.listServers({ pageSize: 1 }, metadata, deadline(), done),
        ).catch((error: unknown) => fromGrpcStatus(error as GrpcError)?.code ?? String(error));
        return typeof page === 'string' ? page : page.totalSize;
      };
      const total = await search();
      assert.ok(Number(total) >= CORES * SOME, String(total));
      const answers = new Map<number | string, number>();
      let isMoving = true;
      const searching = (async () => {
        while (isMoving) {
          const answer = await search();
          answers.set(answer, (answers.get(answer) ?? 0) + 1);
        }
      })();
      await moving.child.stop();
      await balanced();
      await startCore(2);
      await balanced();
      isMoving = false;
      await searching;
      t.diagnostic([...answers].map(([answer, count]) => `${answer}: ${count}`).join(', '));
      assert.ok((answers.get(total) ?? 0) > 0);
      for (const answer of answers.keys()) assert.ok(answer === total || answer === 'CORE_1', String(answer));
    });

    test('after a core is killed, the other cores take over its data and accept inserts', async () => {
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

    test('a core that gets SIGTERM hands over its data before it ends its streams', async () => {
      await startLoads();
      await acknowledge(loads, SOME);
      const [address, owned] = await readUntilEnd(cores[1]);
      assert.ok(!owned.includes(address), report());
      await balanced();
      await acknowledge(
        [loads[0], loads[2]].filter(load => load !== undefined),
        SOME,
      );
      await stopLoads();
      await startCore(1);
      await balanced();
    });

    test('a core exits after a pause (SIGSTOP) if other cores have taken over its data', async () => {
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

    test('after cores were killed and paused, no acknowledged insert is lost, and no server was inserted twice', async () => {
      await Promise.all(cores.map(({ child }) => child.stop()));
      await trial.audit({ GSQ_STORE: cluster.url });
      const { faults, figures } = trial.verdict();
      assert.deepEqual(faults, [], figures);
      assert.ok(trial.history.acknowledged.length >= 6 * SOME, figures);
    });
  });
}
