import { randomUUID } from 'node:crypto';
import type { Lease as LeaseMessage } from '../../proto/generated/gsq/v1/Lease.ts';
import { fnv1aText } from '../../runtime/fnv1a.ts';
import { Uplinks } from '../detector/uplink.ts';
import { LeaseNumbers } from '../servers/lease-numbers.ts';

/** The stream of one prober, with the methods that the dispatcher needs. */
export interface ProberStream {
  /** Name of the prober process, which is the same in all its sessions. Different probers have different names. */
  readonly prober: string;
  /**
   * Maximum number of leases (orders to probe a server) that the prober can hold at the same time. The prober itself
   * announces this number.
   */
  readonly announced: number;
  /** Maximum number of leases that the prober can hold now. It is 0 while the prober reads too slowly. */
  readonly capacity: number;
  /** Sends leases to the prober. Returns false if the prober reads too slowly to accept more leases at the moment. */
  send(leases: readonly LeaseMessage[]): boolean;
}

/** State of one prober. The state is kept for a limited time after the stream broke. */
export interface ProberSession {
  /** The current stream of the prober, or its last stream if that stream broke. */
  stream: ProberStream;
  /** Random id of the session. Only the prober that knows the id can resume the session. */
  readonly id: string;
  /** Hash of the name of the prober. Networks and public server lists are assigned to probers with this hash. */
  readonly nameHash: number;
  /**
   * Leases for which the prober has not sent a report yet. Each lease has a number: 1 for the first lease of the
   * session, 2 for the second, and so on.
   */
  readonly leases: LeaseNumbers;
  /** Number of leases that the prober was given in this session so far. */
  given: number;
  /** Sequence number of the prober's newest message whose reports are all recorded. */
  lastSeq: number;
  readonly uplinks: Uplinks;
  /** Time of the last lease that only tests whether the internet connection of the prober works again, Unix ms. */
  testedAt: number;
  /** Time until which the session can be resumed after its stream broke, Unix ms. */
  resumableUntil: number;
}

/** Data that a prober sends to resume its session after its stream broke. */
export interface Resumption {
  /** Id of the session that the prober resumes. */
  id: string;
  /** Number of leases that the prober received in this session before the stream broke. */
  leasesReceived: number;
}

/** Creates the session of a prober that joined at the time `now`. */
export function newSession(stream: ProberStream, now: number): ProberSession {
  return {
    stream,
    id: randomUUID(),
    nameHash: fnv1aText(stream.prober),
    leases: new LeaseNumbers(),
    given: 0,
    lastSeq: 0,
    uplinks: new Uplinks(now),
    testedAt: now,
    resumableUntil: 0,
  };
}

/** Returns how many more leases a prober can accept. */
export function freeCapacity({ stream, leases }: ProberSession): number {
  return stream.capacity - leases.size;
}
