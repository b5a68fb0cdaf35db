import { randomUUID } from 'node:crypto';
import type { Lease as LeaseMessage } from '../../proto/generated/gsq/v1/Lease.ts';
import { Uplinks } from '../detector/uplink.ts';
import { LeaseNumbers } from '../servers/lease-numbers.ts';

/** The stream of one prober, as the dispatcher sees it. */
export interface ProberStream {
  /** Leases the prober can hold at once. */
  readonly capacity: number;
  /** Sends leases; false if the prober reads too slowly to take more now. */
  send(leases: readonly LeaseMessage[]): boolean;
}

/** State of one prober; outlives a broken stream for a while. */
export interface ProberSession {
  /** Its stream, or the last one it had. */
  stream: ProberStream;
  /** Random, so that only its prober can resume it. */
  readonly id: string;
  /** Leases it has not reported, each with its ordinal: how many leases the session had been given, it included. */
  readonly leases: LeaseNumbers;
  /** Leases given in the session so far. */
  given: number;
  /** Number of the newest report message that is recorded. */
  lastSeq: number;
  readonly uplinks: Uplinks;
  /** After its stream broke: until when it may be resumed, Unix ms. */
  resumableUntil: number;
}

/** What a prober whose stream broke knows of its session. */
export interface Resumption {
  /** Id of the session. */
  id: string;
  /** Leases of the session that reached the prober. */
  leasesReceived: number;
}

/** A new session of a prober that joined at `now`. */
export function newSession(stream: ProberStream, now: number): ProberSession {
  return {
    stream,
    id: randomUUID(),
    leases: new LeaseNumbers(),
    given: 0,
    lastSeq: 0,
    uplinks: new Uplinks(now),
    resumableUntil: 0,
  };
}

/** Leases that a prober can take in addition to those it holds. */
export function freeCapacity({ stream, leases }: ProberSession): number {
  return stream.capacity - leases.size;
}
