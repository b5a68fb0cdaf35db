import { directoryOf } from '../directories/registry.ts';
import { protocols } from '../protocols/registry.ts';
import type { ProbeTarget } from './probe-target.ts';

/**
 * How to probe a server whose game has a public server list. gsq first queries some ports, and then looks up the server
 * in the list.
 */
export interface Listing {
  /**
   * Ports that gsq queries before it looks up the server in the public server list. The first port is queried first.
   */
  asked: readonly number[];
  /**
   * Query port that the prober reports if the server is found in the public server list. It is 0 if gsq cannot query
   * servers of this game.
   */
  queryPort: number;
}

/**
 * Returns how to look up a server in the public server list of its game. Returns undefined if the server is not looked
 * up in a list.
 */
export function listingOf({ protocol, ports, joinPort }: ProbeTarget): Listing | undefined {
  const known = protocols.get(protocol);
  if (!known) return directoryOf(protocol) && { asked: [], queryPort: 0 };
  if (known.transport === 'tcp' || !known.directory || !ports.includes(joinPort)) return undefined;
  return { asked: ports.filter(port => port !== joinPort), queryPort: joinPort };
}
