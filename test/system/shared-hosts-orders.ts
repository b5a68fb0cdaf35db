import type { Wire } from './far-network.ts';

/** What `shared-hosts.ts` is told first. */
export interface SharedHostsWish extends Wire {
  hosts: { address: string; servers: number }[];
  /** Of the first server of each host; the others have those behind it. */
  firstPort: number;
  /** Percent of packets lost each way. */
  loss: number;
}

/**
 * What `shared-hosts.ts` is told later, each answered by `done` or, of `arrivals`, by all packets that came. `silence`: the server
 * keeps its port and answers nothing.
 */
export type SharedHostsOrder =
  | { order: 'end' | 'silence' | 'start'; address: string; ports: readonly number[] }
  | { order: 'arrivals' };

/** What a server says it is called. */
export function nameOf(server: string, starts: number): string {
  return `${server}, start ${starts}`;
}
