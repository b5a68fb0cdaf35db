import type { Authenticator } from '../access/authenticator.ts';
import type { FreshnessRules } from '../servers/freshness.ts';
import type { ServerChanges } from '../servers/server-changes.ts';
import type { ServerFetch } from '../servers/server-fetch.ts';

/** What the methods of ServerService work with. */
export interface ServerServiceDependencies {
  authenticator: Authenticator;
  fetch: ServerFetch;
  changes: ServerChanges;
  freshness: FreshnessRules;
  now: () => number;
  /** True on the internal port: a call may name the caller it is made for. */
  trusted: boolean;
  /** True if callers may come through a proxy, whose address they then share. */
  proxied: boolean;
  /** Aborted when the core drains; streams end then. */
  closing: AbortSignal;
}
