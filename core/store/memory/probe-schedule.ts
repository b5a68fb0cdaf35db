import { randomInt } from 'node:crypto';
import { LEASE_IDS } from '../../servers/lease-numbers.ts';
import { intervalMsAt, newPointer, nextProbeAtOf, setNextProbeAt } from '../../servers/record-pointer.ts';
import type { Lease } from '../../servers/server-store.ts';
import { Leases } from './leases.ts';
import type { ServerTable } from './server-table.ts';
import { TimingWheel } from './timing-wheel.ts';

const BUCKET_MS = 50;
/** A larger step back is a clock that was set, not one that was adjusted. */
const CLOCK_STEP_MS = 1_000;

/** When each server of a table is to be probed, and which are leased: a slot is in the timing wheel or under a lease. */
export class ProbeSchedule {
  readonly #table: ServerTable;
  readonly #forgetFragments: (slot: number) => void;
  readonly #leaseMs: number;
  #wheel = new TimingWheel(BUCKET_MS);
  readonly #leases = new Leases();
  /** Random at first: ids of an earlier run must not be mistaken for this one's. */
  #nextLeaseId = randomInt(LEASE_IDS);
  #lastNow = 0;
  readonly #pointer = newPointer();

  /** `forgetFragments` is called when the due time of a server changes. `leaseMs`: length of a lease. */
  constructor(table: ServerTable, forgetFragments: (slot: number) => void, leaseMs: number) {
    this.#table = table;
    this.#forgetFragments = forgetFragments;
    this.#leaseMs = leaseMs;
  }

  /** Servers under lease. */
  get leased(): number {
    return this.#leases.size;
  }

  /** Puts a slot where its record is due; at most two intervals away, whatever a wrong clock once wrote into the record. */
  add(slot: number, now: number): void {
    const pointer = this.#pointer;
    this.#table.locate(slot, pointer);
    if (nextProbeAtOf(pointer) > now + intervalMsAt(pointer) * 2) {
      setNextProbeAt(pointer, now);
      this.#forgetFragments(slot);
    }
    this.#wheel.put(slot, Math.max(nextProbeAtOf(pointer), now));
  }

  /** Puts a slot that is not leased where it is due. `dueAt`: ms since the Unix epoch. */
  put(slot: number, dueAt: number): void {
    this.#wheel.put(slot, dueAt);
  }

  /** Takes slots out whose servers were removed, and ends their leases. */
  removeSlots(slots: readonly number[]): void {
    const leased = new Set(slots.filter(slot => !this.#wheel.remove(slot)));
    if (leased.size > 0) this.#leases.endLeasesOf(leased);
  }

  /** Leases at most `limit` servers that are due, or whose lease expired. */
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
      this.#leases.add(id, slot, expiresAt);
      return { id, server: this.#table.probed(slot) };
    });
  }

  /** The slot that a lease is for; -1 if there is no such lease, or it expired. */
  slotOf(leaseId: number, now: number): number {
    return this.#leases.slotOf(leaseId, now);
  }

  /** Ends a lease. Its slot is then in the wheel only after `put`. */
  endLease(leaseId: number): void {
    this.#leases.end(leaseId);
  }

  /** Ends leases whose servers were not probed: they are due again. */
  release(leaseIds: Iterable<number>, now: number): void {
    for (const id of leaseIds) {
      const slot = this.#leases.end(id);
      if (slot < 0) continue;
      this.#table.locate(slot, this.#pointer);
      this.#wheel.put(slot, Math.max(now, nextProbeAtOf(this.#pointer)));
    }
  }

  /** Makes a slot due at a time, unless it is leased or due before. */
  hasten(slot: number, at: number): void {
    this.#table.locate(slot, this.#pointer);
    if (nextProbeAtOf(this.#pointer) <= at || !this.#wheel.remove(slot)) return;
    setNextProbeAt(this.#pointer, at);
    this.#forgetFragments(slot);
    this.#wheel.put(slot, at);
  }

  /** A clock that was set back would leave everything due in the future. */
  #followClock(now: number): void {
    if (now < this.#lastNow - CLOCK_STEP_MS) {
      this.#wheel = new TimingWheel(BUCKET_MS);
      this.release([...this.#leases.ids()], now);
      for (const slot of this.#table.slots()) this.add(slot, now);
    }
    this.#lastNow = now;
  }
}
