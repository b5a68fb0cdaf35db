import type { Resolver } from '../net/resolver.ts';
import type { TargetPolicy } from '../net/targets.ts';
import type { ChannelSecurity } from '../proto/clients.ts';
import type { OwnCharges } from './access/own-charges.ts';
import type { InsertGuard } from './admission/insert-guard.ts';
import { Accounts } from './cluster/accounts.ts';
import { ClusterFeed } from './cluster/cluster-feed.ts';
import { HeldBuckets } from './cluster/held-buckets.ts';
import { HookFeed } from './cluster/hook-feed.ts';
import { later } from './cluster/later.ts';
import type { Ownership } from './cluster/ownership.ts';
import { LocalParts } from './cluster/parts/local-parts.ts';
import { RemoteServers } from './cluster/parts/remote-servers.ts';
import { Peers } from './cluster/peers.ts';
import type { FailureDetector } from './detector/failure-detector.ts';
import type { ChangeFeed } from './feed/change-feed.ts';
import { ClusterHistory } from './merge/cluster-history.ts';
import { ClusterSearch } from './merge/cluster-search.ts';
import type { Schedule } from './open-schedule.ts';
import type { OpenedStore } from './open-store.ts';
import type { LeadAccess } from './rpc/lead-proxy.ts';
import type { SearchIndex } from './search/search-index.ts';
import type { FreshnessRules } from './servers/freshness.ts';
import type { ServerChanges } from './servers/server-changes.ts';
import { ServerRecords } from './servers/server-records.ts';

/** What `openCluster` needs. */
export interface OpenClusterDependencies {
  stored: OpenedStore;
  ownership: Ownership & { close(): Promise<void> };
  own: OwnCharges;
  /** Returns the security of the connection to a core, `host:port`. */
  security: (address: string) => ChannelSecurity;
  schedule: Schedule;
  search: SearchIndex;
  feed: ChangeFeed;
  changes: ServerChanges;
  detector: FailureDetector;
  guard: InsertGuard;
  policy: TargetPolicy;
  resolver: Resolver;
  freshness: FreshnessRules;
  closing: AbortSignal;
  now: () => number;
  /** Ends the process, because this core cannot use the accounts of the cluster. */
  onUnusable(error: Error): void;
  /** Called when this core has become the lead and has loaded the newest accounts. */
  onLead(): Promise<void>;
  /** Called before this core stops being the lead. */
  onUnlead(): void;
}

/** The parts of a core that exist only if several cores share one store. */
export interface Cluster {
  readonly ownership: Ownership;
  readonly peers: Peers;
  /** The servers of this core, for calls of other cores. */
  readonly parts: LocalParts;
  /** The servers of all cores. */
  readonly servers: RemoteServers;
  readonly records: ServerRecords;
  readonly accounts: Accounts;
  readonly lead: LeadAccess;
  /** The changes of the servers of all cores. */
  readonly feed: ClusterFeed;
  readonly hookFeed: HookFeed;
  readonly search: ClusterSearch;
  readonly history: ClusterHistory;
  /** Begins to acquire buckets. Call this method when the ports of this core are open. */
  start(): void;
  /** Gives all buckets to the other cores. Call this method when no more calls are served. */
  close(): Promise<void>;
}

/** Creates everything with which this core works together with the other cores of its cluster. */
export function openCluster(dependencies: OpenClusterDependencies): Cluster {
  const { stored, ownership, security, search, feed, changes, freshness, now } = dependencies;
  const { store, credentials, history, internalSecret: secret } = stored;
  const peers = new Peers({ ownership, secret, security });
  const parts = localParts(dependencies);
  const servers = new RemoteServers({ ownership, peers, local: parts, now });
  const records = new ServerRecords({ store, engine: stored.engine, credentials, cluster: servers });
  const clusterFeed = new ClusterFeed({
    own: feed,
    ...{ store, changes, ownership, peers, freshness, now, later },
    records: {
      readRecords: keys => records.readRecords(keys),
      list: async (...page) => (await records.list(...page)).map(({ record }) => record),
    },
  });
  const hookFeed = new HookFeed(clusterFeed, later);
  const accounts = openAccounts(dependencies, peers);
  const held = holdBuckets(dependencies, accounts);
  return {
    ...{ ownership, peers, parts, servers, records, accounts, hookFeed },
    lead: { ownership, peers, secret, isLead: () => accounts.isLead },
    feed: clusterFeed,
    search: new ClusterSearch({ search, store, peers }),
    history: new ClusterHistory({ own: history.store, peers }),
    start() {
      accounts.start();
      ownership.start(held);
    },
    async close() {
      hookFeed.close();
      clusterFeed.close();
      // A core that cannot write its last changes must not wait for the storage engine.
      held.close();
      await ownership.close();
      await accounts.close();
      servers.close();
      peers.close();
    },
  };
}

function localParts(dependencies: OpenClusterDependencies): LocalParts {
  const { stored, schedule, ownership, changes, guard, policy, resolver, closing, now } = dependencies;
  const { store, credentials, givenUp } = stored;
  return new LocalParts({
    ...{ store, credentials, givenUp, changes, policy, resolver, guard, closing, ownership, now },
    onInserted: () => schedule.dispatcher.wake(),
  });
}

function openAccounts(dependencies: OpenClusterDependencies, peers: Peers): Accounts {
  const { stored, ownership, own, closing, onUnusable } = dependencies;
  const { engine, tokens, quota, lastUse, corrupt } = stored;
  return new Accounts({
    ...{ engine, ownership, own, peers, tokens, quota, lastUse, closing, onUnusable },
    onCorrupt: corrupt.countEntry,
  });
}

function holdBuckets(dependencies: OpenClusterDependencies, accounts: Accounts): HeldBuckets {
  const { stored, search, detector, onLead, onUnlead } = dependencies;
  const { store, credentials, givenUp, history } = stored;
  if (!store.buckets) throw new Error('the store of a core in a cluster must have buckets');
  return new HeldBuckets({
    servers: store.buckets,
    ...{ credentials, givenUp, history, search, detector },
    accounts: {
      async take() {
        await accounts.lead();
        await onLead();
      },
      give() {
        onUnlead();
        return accounts.unlead();
      },
    },
  });
}
