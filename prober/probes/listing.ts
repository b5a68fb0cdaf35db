import { directoryOf } from '../directories/registry.ts';
import { protocols } from '../protocols/registry.ts';
import type { ProbeTarget } from './probe-target.ts';

/** Plan for probing a server whose game has a directory. */
export interface Listing {
  /** Ports to query before the look-up in the directory, in this order. */
  asked: readonly number[];
  /** Query port that the report contains if the directory lists the server. */
  queryPort: number;
}

/** Returns the plan for probing a server whose game has a directory. Returns undefined if no directory is used. */
export function listingOf({ protocol, ports, joinPort }: ProbeTarget): Listing | undefined {
  const known = protocols.get(protocol);
  if (!known) return directoryOf(protocol) && { asked: [], queryPort: 0 };
  if (known.transport === 'tcp' || !known.directory || !ports.includes(joinPort)) return undefined;
  return { asked: ports.filter(port => port !== joinPort), queryPort: joinPort };
}
