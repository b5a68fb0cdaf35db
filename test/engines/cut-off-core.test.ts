import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ALL_BUCKETS } from '../../core/cluster/buckets.ts';
import { clients, internalMetadata } from '../../proto/clients.ts';
import type { RemoveServersResponse__Output } from '../../proto/generated/gsq/v1/RemoveServersResponse.ts';
import { credentialMetadata, deadline, fetchServers } from '../contract/grpc.ts';
import { failure, Inbox, unary } from '../core/rpc/answer.ts';
import { INTERNAL_SECRET } from '../system/stack-settings.ts';
import { until } from '../system/until.ts';
import { CoreGroup, metricsOf } from './core-group.ts';
import { EngineCluster } from './engine-cluster.ts';
import { enginesToTest } from './engine-program.ts';

/**
 * User with which one of the cores logs in to Redis or Valkey. The test disables this user, so that this core can no
 * longer use the store.
 */
const USER = 'cut';
const PASSWORD = 'a-password-of-this-test';
const SERVERS = Array.from({ length: 40 }, (_, i) => `127.0.0.${i + 1}:27015`);
const servers = [{ gameId: 'csgo', servers: SERVERS }];

for (const kind of enginesToTest(['valkey'])) {
  test(`${kind}: a core that cannot reach the storage engine returns no records that other cores may have changed`, async t => {
    const engine = await EngineCluster.start(kind);
    t.after(() => engine.stop());
    const allNodes = (...command: string[]) =>
      Promise.all(engine.nodes.map(node => node.command(...command)));
    await allNodes('ACL', 'SETUSER', USER, 'on', `>${PASSWORD}`, '~*', '&*', '+@all');
    const url = engine.urlOf({ user: USER, password: PASSWORD });
    const group = await CoreGroup.start({ engine, cores: 2, coreEnv: [undefined, { GSQ_STORE: url }] });
    t.after(() => group.stop());
    const [other, cut] = group.cores;
    assert.ok(other && cut);
    const publicAddress = cut.address('GSQ_GRPC_ADDR');
    const [admin, publicClient, member] = [
      clients.admin(group.internal[0] ?? ''),
      clients.server(publicAddress),
      clients.cluster(group.internal[1] ?? ''),
    ];
    t.after(() => [admin, publicClient, member].map(client => client.close()));
    assert.equal((await fetchServers(publicAddress, { servers })).meta?.autoInserted, SERVERS.length);

    await allNodes('ACL', 'SETUSER', USER, 'off');
    await allNodes('CLIENT', 'KILL', 'USER', USER);
    await until(
      'the other core owns all buckets',
      async () => Number(/^gsq_cluster_buckets (\d+)$/m.exec(await metricsOf(other))?.[1]),
      count => count === ALL_BUCKETS,
    );
    // If asked for the list of cores, the cut-off core must answer with an error, so that gateways and probers ask
    // another core. Repeats the call if the connection breaks, which happens on a busy machine.
    const watchMembers = () => new Inbox(member.watchMembers({}, internalMetadata(INTERNAL_SECRET))).over;
    await until('a refused list of cores', watchMembers, end => end?.ours?.code === 'CORE_1').catch(error => {
      throw new Error(`${error}\n${group.report}`);
    });
    const removed = await unary<RemoveServersResponse__Output>(done =>
      admin.removeServers({ servers }, internalMetadata(INTERNAL_SECRET), deadline(), done),
    );
    assert.equal(removed.removed.length, SERVERS.length);
    const { ours } = await failure(done =>
      publicClient.fetchServers({ servers }, credentialMetadata(), deadline(), done),
    );
    assert.equal(ours?.code, 'CORE_1');

    await allNodes('ACL', 'SETUSER', USER, 'on');
    await cut.child.ended;
    assert.match(cut.child.report, /this core has lost its buckets, this process ends/);
  });
}
