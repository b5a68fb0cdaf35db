import type { Wire } from './far-network.ts';

/** The first message to `shared-hosts.ts`. */
export interface SharedHostsWish extends Wire {
  hosts: { address: string; servers: number }[];
  /** Port of the first server of each host; the others use the following ports. */
  firstPort: number;
  /** Percent of packets lost in each direction. */
  loss: number;
}

/**
 * Later messages to `shared-hosts.ts`. Each is answered by `done`; `arrivals` by all packets that arrived.
 * `silence`: the server keeps its port and answers nothing.
 */
export type SharedHostsOrder =
  | { order: 'end' | 'silence' | 'start'; address: string; ports: readonly number[] }
  | { order: 'arrivals' };

/** The name that a server reports. */
export function nameOf(server: string, starts: number): string {
  return `${server}, start ${starts}`;
}
