import type { Authenticator } from '../access/authenticator.ts';
import type { Catalog } from '../catalog/catalog.ts';
import type { FeedSource } from '../feed/feed-source.ts';
import type { ClusterSearch } from '../merge/cluster-search.ts';
import type { ServerSearch } from '../search/search-index.ts';
import type { FreshnessRules } from '../servers/freshness.ts';
import type { ServerFetch } from '../servers/server-fetch.ts';
import type { ServerRecords } from '../servers/server-records.ts';
import type { ServerStore } from '../servers/server-store.ts';
import type { Readers } from './readers.ts';
import type { ServiceStatus } from './service-status.ts';

/** Dependencies of the methods of ServerService. */
export interface ServerServiceDependencies {
  authenticator: Authenticator;
  readers: Readers;
  catalog: Pick<Catalog, 'current'>;
  store: Pick<ServerStore, 'getMany' | 'findKey' | 'list' | 'plainFragments'>;
  records: Pick<ServerRecords, 'readRecords'>;
  search: ServerSearch;
  /** Searches the servers of all cores. Undefined if the core is not in a cluster. */
  clusterSearch?: Pick<ClusterSearch, 'search' | 'count'> | undefined;
  fetch: ServerFetch;
  /** The changes of servers, which the streams send to clients. In a cluster, these are the changes of all cores. */
  source: FeedSource;
  freshness: FreshnessRules;
  /** Returns the state of the gsq service itself. */
  status: () => ServiceStatus | Promise<ServiceStatus>;
  now: () => number;
  /** True on the internal port. A call on this port can specify the caller for whom it is made. */
  trusted: boolean;
  /**
   * True if callers can connect through a proxy. All callers behind the proxy have its address, so an address does not
   * identify one caller.
   */
  proxied: boolean;
  /** Aborted when the core begins to shut down. All open streams end when this signal is aborted. */
  closing: AbortSignal;
  /** Time between two heartbeats of a stream of changes, ms. By default 15 seconds. */
  heartbeatMs?: number;
}
