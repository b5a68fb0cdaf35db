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
import { LeadAccounts } from './cluster/lead-accounts.ts';
import type { Ownership } from './cluster/ownership.ts';
import { LocalParts } from './cluster/parts/local-parts.ts';
import { RemoteServers } from './cluster/parts/remote-servers.ts';
import { Peers } from './cluster/peers.ts';
import type { FailureDetector } from './detector/failure-detector.ts';
import type { ChangeFeed } from './feed/change-feed.ts';
import { ClusterSearch } from './merge/cluster-search.ts';
import { OwnedBuckets } from './merge/owned-buckets.ts';
import type { Schedule } from './open-schedule.ts';
import type { OpenedStore } from './open-store.ts';
import type { LeadAccess } from './rpc/lead-proxy.ts';
import type { SearchIndex } from './search/search-index.ts';
import type { FreshnessRules } from './servers/freshness.ts';
import type { ServerChanges } from './servers/server-changes.ts';
import { ServerRecords } from './servers/server-records.ts';

/** Dependencies of `openCluster`. */
export interface OpenClusterDependencies {
  stored: OpenedStore;
  ownership: Ownership & { handOver(): Promise<void>; close(): Promise<void> };
  own: OwnCharges;
  /**
   * Returns the security settings (TLS or none) of the connection to another core. `address`: `host:port` of that core.
   */
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
  /**
   * Called if this core cannot use the accounts (tokens and their usage) of the cluster. The callback ends the process.
   */
  onUnusable(error: Error): void;
  /**
   * Called when this core has become the lead (the core that writes the tokens and webhooks) and has loaded the newest
   * accounts.
   */
  onLead(): Promise<void>;
  /** Called before this core stops being the lead (the core that writes the tokens and webhooks). */
  onUnlead(): void;
}

/** The components of a core that exist only if several cores share one store. */
export interface Cluster {
  readonly ownership: Ownership;
  readonly peers: Peers;
  /** Serves calls in which other cores read, insert or change servers of this core. */
  readonly parts: LocalParts;
  /** Reads, inserts and changes servers of all cores, by calls to the cores that own them. */
  readonly servers: RemoteServers;
  readonly records: ServerRecords;
  readonly accounts: Accounts;
  readonly lead: LeadAccess;
  /** Change feed with the changes of the servers of all cores. */
  readonly feed: ClusterFeed;
  readonly hookFeed: HookFeed;
  readonly search: ClusterSearch;
  readonly owned: OwnedBuckets;
  /**
   * Begins to acquire buckets (groups of servers, each owned by one core). Call this method when the ports of this core
   * are open.
   */
  start(): void;
  /**
   * Gives all buckets of this core to other cores. Call this method while this core still serves calls. After another
   * core has taken a bucket, this core passes on calls about the bucket to that core.
   */
  handOver(): Promise<void>;
  /** Leaves the cluster. Call this method after `handOver`, when this core serves no more calls. */
  close(): Promise<void>;
}

/** Creates the components with which this core works together with the other cores of its cluster. */
export function openCluster(dependencies: OpenClusterDependencies): Cluster {
  const { stored, ownership, security, search, feed, changes, freshness, now } = dependencies;
  const { store, credentials, internalSecret: secret } = stored;
  const peers = new Peers({ ownership, secret, security });
  const parts = localParts(dependencies);
  const servers = new RemoteServers({ ownership, peers, local: parts, now });
  const records = new ServerRecords({ store, engine: stored.engine, credentials, cluster: servers });
  const clusterFeed = new ClusterFeed({
    own: feed,
    ...{ store, changes, ownership, peers, freshness, now, later },
    records,
  });
  const hookFeed = new HookFeed(clusterFeed, later);
  const accounts = openAccounts(dependencies, peers);
  const owned = new OwnedBuckets(ownership);
  let isLeaving = false;
  const { onLead, onUnlead } = dependencies;
  const leadAccounts = new LeadAccounts({ accounts, onLead, onUnlead, isLeaving: () => isLeaving });
  const held = holdBuckets(dependencies, leadAccounts);
  return {
    ...{ ownership, owned, peers, parts, servers, records, accounts, hookFeed },
    lead: { ownership, peers, secret, isLead: () => leadAccounts.isLead && ownership.isValid },
    feed: clusterFeed,
    search: new ClusterSearch({ search, store, peers, owned }),
    start() {
      accounts.start();
      ownership.start(held);
    },
    async handOver() {
      // After `held.close`, the hand-over of servers to other cores fails at the first write that the store refuses.
      // Without `held.close`, this core would repeat the refused write for 30 s.
      held.close();
      isLeaving = true;
      await ownership.handOver();
    },
    async close() {
      isLeaving = true;
      hookFeed.close();
      clusterFeed.close();
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

function holdBuckets(dependencies: OpenClusterDependencies, accounts: LeadAccounts): HeldBuckets {
  const { stored, search, detector } = dependencies;
  const { store, credentials, givenUp, history } = stored;
  if (!store.buckets) throw new Error('the store of a core in a cluster must have buckets');
  return new HeldBuckets({
    servers: store.buckets,
    ...{ credentials, givenUp, history, search, detector, accounts },
  });
}
