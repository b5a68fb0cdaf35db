import { directoryOf } from '../directories/registry.ts';
import { protocols } from '../protocols/registry.ts';
import type { ProbeTarget } from './probe-target.ts';

/** How to find a server that the directory of its game may list. */
export interface Listing {
  /** The ports to ask before the directory, in order. */
  asked: readonly number[];
  /** The port to report as the one that answered if the directory lists the server. */
  queryPort: number;
}

/** The listing of a server; undefined if its game has no directory. */
export function listingOf({ protocol, ports, joinPort }: ProbeTarget): Listing | undefined {
  const known = protocols.get(protocol);
  if (!known) return directoryOf(protocol) && { asked: [], queryPort: 0 };
  if (known.transport === 'tcp' || !known.directory || !ports.includes(joinPort)) return undefined;
  return { asked: ports.filter(port => port !== joinPort), queryPort: joinPort };
}
