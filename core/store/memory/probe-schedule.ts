import { randomInt } from 'node:crypto';
import { LEASE_IDS } from '../../servers/lease-numbers.ts';
import { intervalMsAt, newPointer, nextProbeAtOf, setNextProbeAt } from '../../servers/record-pointer.ts';
import type { Lease } from '../../servers/server-store.ts';
import { Leases } from './leases.ts';
import type { ServerTable } from './server-table.ts';
import { TimingWheel } from './timing-wheel.ts';

const BUCKET_MS = 50;
/**
 * If the clock moves back by more than this (ms), the schedule is rebuilt, because somebody has set the clock. Smaller
 * steps are ordinary adjustments.
 */
const CLOCK_STEP_MS = 1_000;

/**
 * Schedules the probes of the servers in a server table. Each server is leased to a prober, or waits for its due time
 * in a timing wheel. A server is identified by its slot (row in the table).
 */
export class ProbeSchedule {
  readonly #table: ServerTable;
  readonly #forgetFragments: (slot: number) => void;
  readonly #leaseMs: number;
  readonly #probedSlots: () => Iterable<number>;
  #wheel = new TimingWheel(BUCKET_MS);
  readonly #leases = new Leases();
  /**
   * Id of the next lease (order to probe a server). The first id is random. So a late report about a lease of an
   * earlier process matches no lease of this process.
   */
  #nextLeaseId = randomInt(LEASE_IDS);
  #lastNow = 0;
  readonly #pointer = newPointer();

  /**
   * `forgetFragments`: drops the cached parts of answers about a server. The schedule calls it when the due time of the
   * server changes. `leaseMs`: duration of a lease, ms. `probedSlots`: returns the slots (rows in `table`) of the
   * servers to probe.
   */
  constructor(
    table: ServerTable,
    forgetFragments: (slot: number) => void,
    leaseMs: number,
    probedSlots: () => Iterable<number>,
  ) {
    this.#table = table;
    this.#forgetFragments = forgetFragments;
    this.#leaseMs = leaseMs;
    this.#probedSlots = probedSlots;
  }

  /** Number of leased servers (servers that a prober must probe now). */
  get leased(): number {
    return this.#leases.size;
  }

  /**
   * Schedules a server for the due time in its record, but not before `from`. If the due time is more than two probe
   * intervals ahead, the server is due at `from`, because the due time perhaps comes from a wrong clock.
   */
  addServer(slot: number, from: number): void {
    const pointer = this.#pointer;
    this.#table.locate(slot, pointer);
    if (nextProbeAtOf(pointer) > from + intervalMsAt(pointer) * 2) {
      setNextProbeAt(pointer, from);
      this.#forgetFragments(slot);
    }
    this.#wheel.put(slot, Math.max(nextProbeAtOf(pointer), from));
  }

  /** Schedules a server that is not leased. `dueAt`: time of its next probe, in milliseconds since the Unix epoch. */
  put(slot: number, dueAt: number): void {
    this.#wheel.put(slot, dueAt);
  }

  /** Removes the servers with these `slots` (rows in the server table) from the schedule and ends their leases. */
  removeSlots(slots: readonly number[]): void {
    this.#endLeasesOf(slots);
  }

  /**
   * Removes servers from the schedule and ends their leases, because another core will probe them. A prober can already
   * be probing a leased server. To prevent a second probe at the same time, sets the due time of the server to the time
   * at which its lease would have expired, but at most one probe interval from now. Returns the slots of the servers
   * whose due time it has set.
   */
  handOver(slots: readonly number[], now: number): number[] {
    const expiries = this.#endLeasesOf(slots);
    const pointer = this.#pointer;
    for (const [slot, expiresAt] of expiries) {
      this.#table.locate(slot, pointer);
      setNextProbeAt(pointer, Math.min(expiresAt, now + intervalMsAt(pointer)));
      this.#forgetFragments(slot);
    }
    return [...expiries.keys()];
  }

  #endLeasesOf(slots: readonly number[]): Map<number, number> {
    const leased = new Set(slots.filter(slot => !this.#wheel.remove(slot)));
    return leased.size > 0 ? this.#leases.endLeasesOf(leased) : new Map();
  }

  /**
   * Creates a lease (the order to a prober to probe a server) for each server that is due, but at most `limit` leases.
   * Servers whose earlier lease has expired are due again.
   */
  leaseDue(now: number, limit: number): Lease[] {
    this.#followClock(now);
    for (let id = this.#leases.oldest; id >= 0; id = this.#leases.oldest) {
      if (this.#leases.slotOf(id, now) >= 0) break;
      this.release([id], now);
    }
    const expiresAt = now + this.#leaseMs;
    return this.#wheel.takeDue(now, limit).map(slot => {
      const id = this.#nextLeaseId;
      this.#nextLeaseId = (id + 1) % LEASE_IDS;
      this.#leases.addLease(id, slot, expiresAt);
      return { id, server: this.#table.probed(slot) };
    });
  }

  /**
   * Returns the slot (row in the server table) of the server of a lease. Returns -1 if the lease does not exist or has
   * expired.
   */
  slotOf(leaseId: number, now: number): number {
    return this.#leases.slotOf(leaseId, now);
  }

  /** Ends a lease. The caller must then call `put`, or the server is never probed again. */
  endLease(leaseId: number): void {
    this.#leases.end(leaseId);
  }

  /**
   * Ends leases whose servers were not probed. These servers become due again, but not before the time `from` (Unix
   * ms).
   */
  release(leaseIds: Iterable<number>, from: number): void {
    for (const id of leaseIds) {
      const slot = this.#leases.end(id);
      if (slot < 0) continue;
      this.#table.locate(slot, this.#pointer);
      this.#wheel.put(slot, Math.max(from, nextProbeAtOf(this.#pointer)));
    }
  }

  /**
   * Makes a server due at the time `at` (Unix ms). Does nothing if the server is leased or is due before `at`. `slot`:
   * row of the server in the server table.
   */
  hasten(slot: number, at: number): void {
    this.#table.locate(slot, this.#pointer);
    if (nextProbeAtOf(this.#pointer) <= at || !this.#wheel.remove(slot)) return;
    setNextProbeAt(this.#pointer, at);
    this.#forgetFragments(slot);
    this.#wheel.put(slot, at);
  }

  /** Rebuilds the schedule if the clock was set back. With the old due times, all servers would be probed too late. */
  #followClock(now: number): void {
    if (now < this.#lastNow - CLOCK_STEP_MS) {
      this.#wheel = new TimingWheel(BUCKET_MS);
      this.release([...this.#leases.ids()], now);
      for (const slot of this.#probedSlots()) this.addServer(slot, now);
    }
    this.#lastNow = now;
  }
}
