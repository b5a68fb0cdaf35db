import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, test } from 'node:test';
import { OwnCharges } from '../../core/access/own-charges.ts';
import { UNCONFIRMED_LIMITS, UnconfirmedServers } from '../../core/admission/unconfirmed-servers.ts';
import { ALL_BUCKETS } from '../../core/cluster/buckets.ts';
import type { WriteHold } from '../../core/cluster/owner-table.ts';
import { openStore } from '../../core/open-store.ts';
import { EngineOwnerTable, HOLD_OVER } from '../../core/store/redis/engine-owner-table.ts';
import { parseEngineUrl } from '../../core/store/redis/engine-url.ts';
import { StoreHold } from '../../core/store/redis/store-hold.ts';
import { HOLD_MS } from '../../core/store/redis/table-scripts.ts';
import type { Operation } from '../../core/store/storage-engine.ts';
import { createLogger } from '../../runtime/log.ts';
import { feedOf } from '../core/feed/feed-of.ts';
import { closeAsCore, configOf } from '../faults/whole-data.ts';
import { scratchDirectory } from '../system/scratch-directory.ts';
import { until } from '../system/until.ts';
import { EngineCluster } from './engine-cluster.ts';
import { openMember } from './opened-member.ts';
import { entriesOf, flush, put } from './redis-stores.ts';

const ALL = Array.from({ length: ALL_BUCKETS }, (_, bucket) => bucket);
const MOVED = { target: 'another store', id: 'x' };
const MIGRATION = 'gsq-migrate:1';

describe('the write hold (stops all writes during a migration)', { timeout: 240_000 }, () => {
  let cluster: EngineCluster;
  const tables: EngineOwnerTable[] = [];

  const tableOf = (id: string): EngineOwnerTable => {
    const log = createLogger('core', 'silent');
    const table = new EngineOwnerTable(parseEngineUrl(cluster.url), { id, address: 'none' }, log);
    tables.push(table);
    return table;
  };

  before(async () => {
    cluster = await EngineCluster.start('valkey');
  });
  beforeEach(() => flush(cluster));
  after(async () => {
    for (const table of tables) table.close();
    await cluster?.stop();
  });

  test('is not in force until all cores have confirmed that they do not write', async () => {
    const [core, holder] = [tableOf('core'), tableOf(MIGRATION)];
    await core.renew('serving', '', '');
    await core.claim(ALL, 0);
    assert.match((await holder.hold(HOLD_MS, true)) ?? '', /have not stopped writing: core$/);
    const { hold } = await core.renew('serving', '', '');
    assert.deepEqual(hold, { kind: 'held', id: MIGRATION });
    await core.renew('serving', '', MIGRATION);
    assert.equal(await holder.hold(HOLD_MS, false), undefined);
    await core.claim([7], 0);
    assert.match((await holder.hold(HOLD_MS, false)) ?? '', /have not stopped writing: core$/);
  });

  test('is not in force while a bucket (a share of the data) has no owner', async () => {
    const [core, holder] = [tableOf('core'), tableOf(MIGRATION)];
    await core.renew('serving', '', MIGRATION);
    await core.claim(ALL.slice(1), 0);
    await core.renew('serving', '', MIGRATION);
    assert.equal(await holder.hold(HOLD_MS, true), `1 of ${ALL_BUCKETS} buckets have no core`);
  });

  test('cannot be extended after its end', async () => {
    const [core, holder] = [tableOf('core'), tableOf(MIGRATION)];
    await core.renew('serving', '', '');
    await core.claim(ALL, 0);
    await core.renew('serving', '', MIGRATION);
    await holder.hold(1, true);
    const renewal = await until(
      'the end of the hold',
      () => core.renew('serving', '', MIGRATION),
      ({ hold }) => hold === undefined,
    );
    assert.equal(renewal.hold, undefined);
    assert.equal(await holder.hold(HOLD_MS, false), HOLD_OVER);
    assert.equal(await holder.move(MOVED), false);
    assert.equal(await holder.moved(), undefined);
  });

  test('prevents a second migration of the same store', async () => {
    const [first, second] = [tableOf(MIGRATION), tableOf('gsq-migrate:2')];
    await first.hold(HOLD_MS, true);
    await assert.rejects(second.hold(HOLD_MS, true), { name: 'StoreInUse', user: MIGRATION });
    await assert.rejects(second.renew('alone', '', ''), { name: 'StoreInUse', user: MIGRATION });
  });

  test('stays in force after the data has moved to another store, and ends when the move is undone', async () => {
    const [core, holder, other] = [tableOf('core'), tableOf(MIGRATION), tableOf('other')];
    await core.renew('serving', '', '');
    await holder.hold(HOLD_MS, true);
    assert.equal(await holder.move(MOVED), true);
    assert.equal(await holder.move(MOVED), true, 'a repeated call has the same result');
    await holder.endHold();
    const { hold } = await core.renew('serving', '', '');
    assert.deepEqual(hold, { kind: 'moved', target: MOVED.target });
    await assert.rejects(other.renew('joined', '', ''), {
      name: 'StoreMoved',
      message: /moved to another store/,
    });
    await holder.unmove();
    assert.equal((await other.renew('joined', '', '')).hold, undefined);
  });

  test('is not in force until a core has finished its recovery from a failed write', async t => {
    let endRecovery: (operations: Operation[]) => void = () => {};
    const recovery = new Promise<Operation[]>(resolve => {
      endRecovery = resolve;
    });
    const compare = t.mock.fn(() => recovery);
    const renew = t.mock.method(EngineOwnerTable.prototype, 'renew');
    const core = await openStore({
      config: configOf(scratchDirectory(), { GSQ_STORE: cluster.url }),
      log: createLogger('core', 'silent'),
      now: Date.now,
      monotonic: () => performance.now(),
      unconfirmed: new UnconfirmedServers({ ...UNCONFIRMED_LIMITS, inAll: 10, aToken: 10 }),
      feed: feedOf(),
      webhooks: { compare, writeDirty: async () => {} },
      member: { address: 'a:1', own: new OwnCharges(), onWait() {} },
      onRemove() {},
    });
    t.after(async () => {
      endRecovery([]);
      await core.ownership?.close();
      await closeAsCore(core);
    });
    core.ownership?.start({ take: async () => {}, give: async () => {} });
    await until(
      'all buckets',
      () => core.ownership?.ownedBuckets,
      count => count === ALL_BUCKETS,
    );
    const limitMemory = (bytes: string) =>
      Promise.all(cluster.masters.map(node => node.command('CONFIG', 'SET', 'maxmemory', bytes)));
    await limitMemory('1');
    await assert.rejects(core.engine.commit([put('t/a')]), /memory of the storage engine is full/);
    await limitMemory('0');
    await until(
      'the recovery',
      () => compare.mock.callCount(),
      count => count === 1,
    );
    const holder = tableOf(MIGRATION);
    await holder.hold(HOLD_MS, true);
    // When the core renews its lease, it learns that it must stop its writes for a migration. A later renewal confirms
    // that the core has stopped. No renewal may confirm this while the core still recovers from a refused write.
    const renewals = renew.mock.callCount() + 4;
    await until(
      'four renewals of the lease',
      () => renew.mock.callCount(),
      count => count >= renewals,
    );
    assert.match((await holder.hold(HOLD_MS, false)) ?? '', /have not stopped writing/);
    endRecovery([put('t/a')]);
    await until(
      'the end of all writes',
      () => holder.hold(HOLD_MS, false),
      missing => missing === undefined,
    );
    assert.deepEqual(await entriesOf(core.engine, 't/'), [['t/a', 't/a']]);
    await holder.endHold();
  });

  test('stops the writes of all cores, even of a core that joins later', async t => {
    const told: string[] = [];
    const release: (() => void)[] = [];
    const watch = (name: string) => (hold: WriteHold | undefined) => {
      told.push(`${name} ${hold?.kind ?? 'free'}`);
      return hold ? new Promise<void>(resolve => release.push(resolve)) : Promise.resolve();
    };
    const members = [await openMember(cluster.url, 'a:1'), await openMember(cluster.url, 'b:1')];
    for (const { ownership } of members) ownership.watchHold(watch(ownership.self.address));
    const hold = new StoreHold(tableOf(MIGRATION));
    t.after(async () => {
      await hold.end();
      for (const { close } of members) await close();
    });
    let isHeld = false;
    const begun = hold.begin().then(() => {
      isHeld = true;
    });
    await until(
      'both members',
      () => told.length,
      count => count === 2,
    );
    assert.equal(isHeld, false);
    for (const resolve of release) resolve();
    await begun;
    const late = await openMember(cluster.url, 'c:1');
    members.push(late);
    late.ownership.watchHold(watch('c:1'));
    await until(
      'the late member',
      () => told,
      seen => seen.includes('c:1 held'),
    );
    assert.equal(late.ownership.ownedBuckets, 0);
    await hold.end();
    await until(
      'the end for all members',
      () => told.filter(one => one.endsWith('free')).length,
      count => count === 3,
    );
    assert.deepEqual(
      members.flatMap(({ lost }) => lost),
      [],
    );
  });
});
