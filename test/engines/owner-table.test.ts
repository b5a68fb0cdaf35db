import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, test } from 'node:test';
import { GRACE_MS, LEASE_MS } from '../../core/cluster/member-lease.ts';
import { NO_OWNER, type OwnersView } from '../../core/cluster/owner-table.ts';
import { EngineOwnerTable } from '../../core/store/redis/engine-owner-table.ts';
import { parseEngineUrl } from '../../core/store/redis/engine-url.ts';
import { HOLD_MS, TABLE_KEYS } from '../../core/store/redis/table-scripts.ts';
import { createLogger } from '../../runtime/log.ts';
import { EngineCluster } from './engine-cluster.ts';
import { enginesToTest } from './engine-program.ts';
import { flush } from './redis-stores.ts';

const [STATE = '', LEASES = '', MEMBERS = '', BUCKETS = ''] = TABLE_KEYS;
const HOUR_MS = 3_600_000;

/** Returns the id of the core that owns a bucket (group of servers). Undefined if the bucket has no live owner. */
function ownerOf(view: OwnersView | undefined, bucket: number): string | undefined {
  return view?.members[view.owners[bucket] ?? NO_OWNER]?.id;
}

for (const kind of enginesToTest()) {
  describe(`${kind}: the owner table (which core owns which servers)`, () => {
    let engine: EngineCluster;
    const tables: EngineOwnerTable[] = [];

    const tableOf = (id: string): EngineOwnerTable => {
      const log = createLogger('core', 'silent');
      const table = new EngineOwnerTable(parseEngineUrl(engine.url), { id, address: `${id}:1` }, log);
      tables.push(table);
      return table;
    };
    const command = async (...args: string[]): Promise<unknown> => engine.nodes[0]?.command(...args);
    const now = async (): Promise<number> => {
      const [seconds, micros] = (await command('TIME')) as unknown[];
      return Number(seconds) * 1000 + Math.floor(Number(micros) / 1000);
    };

    before(async () => {
      engine = await EngineCluster.startSingle(kind);
    });
    beforeEach(() => flush(engine));
    after(async () => {
      for (const table of tables) table.close();
      await engine?.stop();
    });

    test('keeps the owners of buckets (groups of servers) if the leases of all live cores end at about the same time', async () => {
      const [a, b] = [tableOf('a'), tableOf('b')];
      await a.renew('serving', '', '');
      await b.renew('serving', '', '');
      await a.claim([1], 0);
      await b.claim([2], 0);
      // Adds a third core, which is dead. The leases of all three cores have ended, but the lease of the dead core
      // ended long before the other two.
      await command('HSET', MEMBERS, 'dead', 'serving dead:1');
      const ended = (await now()) - LEASE_MS;
      const leases = { a: ended, b: ended + 200, dead: ended - GRACE_MS };
      for (const [id, ends] of Object.entries(leases)) await command('ZADD', LEASES, String(ends), id);
      const { view } = await a.renew('serving', '', '');
      assert.deepEqual(view?.members.map(({ id }) => id).sort(), ['a', 'b']);
      assert.deepEqual((await a.claim([1, 2], 0)).buckets, []);
      const seen = await b.renew('serving', '', '');
      assert.deepEqual([ownerOf(seen.view, 1), ownerOf(seen.view, 2)], ['a', 'b']);
    });

    test('limits leases, write holds (for migrations) and waits after a failover to their normal length if the database clock is set back', async () => {
      const core = tableOf('a');
      await core.renew('serving', '', '');
      const later = String((await now()) + HOUR_MS);
      await command('HSET', MEMBERS, 'dead', 'serving dead:1');
      await command('ZADD', LEASES, later, 'dead');
      await command('HSET', STATE, 'claims-from', later, 'hold', 'gsq-migrate:1', 'hold-until', later);
      const { otherEndsMs } = await core.renew('serving', '', '');
      assert.ok(otherEndsMs <= LEASE_MS, String(otherEndsMs));
      await core.claim([1], 0);
      const limit = await now();
      const [from, until] = (await command('HMGET', STATE, 'claims-from', 'hold-until')) as unknown[];
      assert.ok(Number(from) <= limit + GRACE_MS, String(from));
      assert.ok(Number(until) <= limit + HOLD_MS, String(until));
    });

    test('is sent to the cores again after a failover of the database, because the failover can lose the newest changes', async () => {
      const core = tableOf('a');
      await core.renew('serving', '', '');
      await core.claim([1], 0);
      const { view } = await core.renew('serving', '', '');
      assert.equal(ownerOf(view, 1), 'a');
      const known = view?.version ?? '';
      assert.equal((await core.renew('serving', known, '')).view, undefined);
      // Simulates a failover: another node now stores the table of bucket owners, without its newest change.
      await command('HSET', STATE, 'node', '0');
      await command('HDEL', BUCKETS, '1');
      assert.equal(ownerOf((await core.renew('serving', known, '')).view ?? view, 1), undefined);
    });
  });
}
