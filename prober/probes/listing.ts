import { directoryOf } from '../directories/registry.ts';
import { protocols } from '../protocols/registry.ts';
import type { ProbeTarget } from './probe-target.ts';

/** How a server is probed if its game has a directory (online server list): queries to some ports, then a look-up. */
export interface Listing {
  /** Ports to query before the look-up in the directory, in this order. */
  asked: readonly number[];
  /** Port that is reported as the query port if the directory lists the server; 0 for none. */
  queryPort: number;
}

/**
 * Decides whether a server is looked up in the directory (online server list) of its game. If so, returns a `Listing`.
 * If not, returns undefined.
 */
export function listingOf({ protocol, ports, joinPort }: ProbeTarget): Listing | undefined {
  const known = protocols.get(protocol);
  if (!known) return directoryOf(protocol) && { asked: [], queryPort: 0 };
  if (known.transport === 'tcp' || !known.directory || !ports.includes(joinPort)) return undefined;
  return { asked: ports.filter(port => port !== joinPort), queryPort: joinPort };
}
