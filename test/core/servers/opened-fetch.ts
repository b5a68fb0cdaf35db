import type { TestContext } from 'node:test';
import { ServerChanges } from '../../../core/servers/server-changes.ts';
import { ServerFetch } from '../../../core/servers/server-fetch.ts';
import { EmbeddedServerStore } from '../../../core/store/memory/embedded-server-store.ts';
import { Resolver } from '../../../net/resolver.ts';
import { TargetPolicy } from '../../../net/targets.ts';
import { NameServer, type Records } from '../../system/name-server.ts';
import { freeInserts } from '../admission/free-inserts.ts';
import { catalogOf } from '../catalog-of.ts';
import { clockAt } from '../clock.ts';
import { onlineRecord } from '../record-of.ts';
import { scratchEngine } from '../scratch-store.ts';
import { leaseRecords } from '../store/lease-records.ts';
import { givenUpOf } from './given-up-of.ts';

/** Starts a ServerFetch with an empty store. `names`: DNS records that its name server returns, keyed by host name. */
export async function openedFetch(t: TestContext, names: Record<string, Records> = {}, maxServers = 1000) {
  const clock = clockAt();
  const options = { now: clock.now, probeIntervalMs: 60_000, leaseMs: 30_000, maxServers };
  const level = await scratchEngine(t);
  const store = await EmbeddedServerStore.load(level, options);
  const changes = new ServerChanges();
  const dns = await NameServer.start(names);
  t.after(() => dns.stop());
  const closing = new AbortController();
  let inserts = 0;
  const onInserted = { act: (): void => {} };
  const fetch = new ServerFetch({
    givenUp: await givenUpOf(level, clock.now),
    guard: freeInserts(),
    catalog: await catalogOf(clock.now, 'csgo', 'css'),
    store,
    changes,
    policy: new TargetPolicy([]),
    resolver: new Resolver([dns.address], clock.now),
    closing: closing.signal,
    onInserted: () => {
      inserts++;
      onInserted.act();
    },
  });
  /** Acts as a prober: gets the orders to probe up to `limit` due servers, and records an answer from each. */
  const probe = (limit: number): void => {
    for (const lease of leaseRecords(store, limit)) {
      const next = onlineRecord(lease.server, clock.at);
      store.apply(lease.id, next);
      changes.publish(next);
    }
  };
  return {
    store,
    changes,
    dns,
    probe,
    closing,
    onInserted,
    inserts: () => inserts,
    fetch: (servers: string[], gameId = 'csgo', waitMs = 0) =>
      fetch.fetch([{ gameId, servers }], 'tok_1', waitMs),
    fetchGroups: (groups: [gameId: string, servers: string[]][]) =>
      fetch.fetch(
        groups.map(([gameId, servers]) => ({ gameId, servers })),
        'tok_1',
        0,
      ),
  };
}
