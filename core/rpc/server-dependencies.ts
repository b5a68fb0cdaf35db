import type { Authenticator } from '../access/authenticator.ts';
import type { ServerChanges } from '../servers/server-changes.ts';
import type { ServerFetch } from '../servers/server-fetch.ts';
import type { TrackedServersDependencies } from './tracked-servers.ts';

/** Dependencies of the methods of ServerService. */
export interface ServerServiceDependencies extends TrackedServersDependencies {
  authenticator: Authenticator;
  fetch: ServerFetch;
  changes: ServerChanges;
  /** True on the internal port. Calls on this port are trusted to specify for which caller they are made. */
  trusted: boolean;
  /** True if callers can connect through a proxy. All callers that use the proxy have the same address. */
  proxied: boolean;
  /** Aborted when the core begins to shut down. All open streams end when this signal is aborted. */
  closing: AbortSignal;
}
