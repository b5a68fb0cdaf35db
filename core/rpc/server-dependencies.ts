import type { Authenticator } from '../access/authenticator.ts';
import type { FreshnessRules } from '../servers/freshness.ts';
import type { ServerChanges } from '../servers/server-changes.ts';
import type { ServerFetch } from '../servers/server-fetch.ts';

/** Dependencies of the methods of ServerService. */
export interface ServerServiceDependencies {
  authenticator: Authenticator;
  fetch: ServerFetch;
  changes: ServerChanges;
  freshness: FreshnessRules;
  now: () => number;
  /** True on the internal port. There, a call is allowed to specify on behalf of which caller it is made. */
  trusted: boolean;
  /** True if callers can connect through a proxy. Such callers all have the address of the proxy. */
  proxied: boolean;
  /** Aborted when the core begins to shut down. All open streams end when this signal is aborted. */
  closing: AbortSignal;
}
