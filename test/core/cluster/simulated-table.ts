import { ALL_BUCKETS } from '../../../core/cluster/buckets.ts';
import { GRACE_MS, LEASE_MS } from '../../../core/cluster/member-lease.ts';
import {
  type Claim,
  type ListedMember,
  type MemberState,
  NO_OWNER,
  type OwnersView,
  type OwnerTable,
  type Renewal,
  StoreInUse,
} from '../../../core/cluster/owner-table.ts';
import type { Member } from '../../../core/cluster/ownership.ts';

interface TableState {
  /**
   * Version number of the owner table (which core owns which bucket of servers). Each change increases it. A failover
   * can set it back.
   */
  version: number;
  epoch: number;
  members: Map<string, ListedMember>;
  /**
   * For each member (core), the time when its lease ends, in ms of the table's clock. The leases are in the order in
   * which they end.
   */
  leases: Map<string, number>;
  owners: (string | undefined)[];
  epochs: number[];
}

function copyOf({ version, epoch, members, leases, owners, epochs }: TableState): TableState {
  return {
    version,
    epoch,
    members: new Map(members),
    leases: new Map(leases),
    owners: owners.slice(),
    epochs: epochs.slice(),
  };
}

/** Error of a simulated call to the owner table: the request or the reply was lost. */
export class CallFailed extends Error {}

/**
 * The owner table of a simulated cluster: which core owns which bucket (group of servers). It has the same rules as the
 * Lua scripts in core/store/redis/table-scripts.ts. It executes changes immediately. `tableOf` adds delays and
 * failures.
 */
export class SimulatedTable {
  readonly #clock: () => number;
  /** Difference between the clock of the table and the virtual clock, in milliseconds. */
  #ahead = 0;
  #state: TableState = {
    version: 0,
    epoch: 0,
    members: new Map(),
    leases: new Map(),
    owners: new Array(ALL_BUCKETS).fill(undefined),
    epochs: new Array(ALL_BUCKETS).fill(0),
  };
  /**
   * Copy of the owner table on the replicas while they are disconnected; later writes do not change this copy.
   * Undefined while the replicas are connected and confirm writes.
   */
  #replicated: TableState | undefined;
  /**
   * Time from which cores can acquire buckets: GRACE_MS after the last failover or outage. A time in the past if there
   * was no failover or outage.
   */
  #claimsFrom = Number.NEGATIVE_INFINITY;
  /**
   * Number of changes of the owner table so far, including changes that a failover has lost. Each change gets this
   * number as its version, so no two versions are equal. (A real storage engine uses a random text instead.)
   */
  #changes = 0;
  #view: OwnersView | undefined;

  /** `clock`: returns the virtual time, in milliseconds. */
  constructor(clock: () => number) {
    this.#clock = clock;
  }

  get isConfirming(): boolean {
    return this.#replicated === undefined;
  }

  /** Disconnects the replicas of the owner table, so that no write is confirmed any more. */
  cutReplicas(): void {
    this.#replicated = copyOf(this.#state);
  }

  /**
   * Simulates a failover: a replica becomes the master, and all writes since `cutReplicas` are lost. During the next
   * GRACE_MS milliseconds, no lease ends, and no core can acquire a bucket. `aheadMs`: difference between the clocks of
   * the new and of the old master, in milliseconds.
   */
  failOver(aheadMs = 0): void {
    if (this.#replicated) this.#state = this.#replicated;
    this.#replicated = undefined;
    this.stepClock(aheadMs);
    this.#extendLeases(Number.NEGATIVE_INFINITY);
  }

  /** Sets the clock of the table forward. `ms`: size of the step in milliseconds; negative if the clock is set back. */
  stepClock(ms: number): void {
    this.#ahead += ms;
    this.#limitLeases();
  }

  renew(self: Member, state: MemberState, known: string): Renewal {
    this.#endLeases(self.id);
    const { members, leases } = this.#state;
    const last = members.get(self.id);
    if (!last || state === 'alone') this.#checkAlone(self, state);
    if (last?.state !== state) {
      members.set(self.id, { ...self, state });
      this.#change();
    }
    leases.delete(self.id);
    leases.set(self.id, this.#now + LEASE_MS);
    const view = this.#readView();
    return {
      isConfirmed: this.isConfirming,
      otherEndsMs: this.#otherEndsMs(self),
      hold: undefined,
      view: view.version === known ? undefined : view,
    };
  }

  claim(id: string, buckets: readonly number[], above: number): Claim {
    this.#endLeases(id);
    const { members, owners, epochs } = this.#state;
    const epoch = Math.max(this.#state.epoch, above) + 1;
    this.#state.epoch = epoch;
    const isFree = (owner: string | undefined): boolean =>
      owner === undefined || owner === id || !members.has(owner);
    const canClaim = members.has(id) && this.#now >= this.#claimsFrom;
    const claimed = canClaim ? buckets.filter(bucket => isFree(owners[bucket])) : [];
    for (const bucket of claimed) {
      owners[bucket] = id;
      epochs[bucket] = epoch;
    }
    if (claimed.length > 0) this.#change();
    return { epoch, buckets: claimed };
  }

  give(id: string, owned: readonly { bucket: number; epoch: number }[]): void {
    this.#endLeases(id);
    const { owners, epochs } = this.#state;
    const given = owned.filter(({ bucket, epoch }) => owners[bucket] === id && epochs[bucket] === epoch);
    for (const { bucket } of given) owners[bucket] = undefined;
    if (given.length > 0) this.#change();
  }

  endLease(caller: string, id: string): void {
    this.#endLeases(caller);
    this.#remove(id);
  }

  /**
   * Throws StoreInUse if `self` cannot use the store together with another member. This is the case if one of the two
   * has the state `alone`, which allows no other member.
   */
  #checkAlone(self: Member, state: MemberState): void {
    for (const other of this.#state.members.values())
      if (other.id !== self.id && (state === 'alone' || other.state === 'alone'))
        throw new StoreInUse(other.id);
  }

  #otherEndsMs(self: Member): number {
    for (const [id, ends] of this.#state.leases) if (id !== self.id) return ends - this.#now;
    return Number.POSITIVE_INFINITY;
  }

  get #now(): number {
    return this.#clock() + this.#ahead;
  }

  /** Shortens leases and the grace period if they end too late because the clock of the table was set back. */
  #limitLeases(): void {
    const { leases } = this.#state;
    for (const [id, ends] of leases) leases.set(id, Math.min(ends, this.#now + LEASE_MS));
    this.#claimsFrom = Math.min(this.#claimsFrom, this.#now + GRACE_MS);
  }

  /**
   * Begins the grace period (GRACE_MS) after a failover or an outage. Extends each lease to the end of this period,
   * unless the lease ended at `from` or before.
   */
  #extendLeases(from: number): void {
    const { leases } = this.#state;
    for (const [id, ends] of leases) if (ends > from) leases.set(id, Math.max(ends, this.#now + GRACE_MS));
    this.#claimsFrom = this.#now + GRACE_MS;
    this.#change();
  }

  /** Removes the members whose leases have ended. `caller`: id of the member that calls the table. */
  #endLeases(caller: string): void {
    const ownEnds = this.#state.leases.get(caller) ?? Number.POSITIVE_INFINITY;
    if (ownEnds <= this.#now) this.#extendLeases(ownEnds - GRACE_MS);
    for (const [id, ends] of this.#state.leases) {
      if (ends > this.#now) return;
      this.#remove(id);
    }
  }

  #remove(id: string): void {
    this.#state.leases.delete(id);
    if (this.#state.members.delete(id)) this.#change();
  }

  #change(): void {
    this.#state.version = ++this.#changes;
    this.#view = undefined;
  }

  #readView(): OwnersView {
    if (this.#view) return this.#view;
    const { version, members, owners, epochs } = this.#state;
    const indexes = new Map(Array.from(members.keys(), (id, index) => [id, index]));
    this.#view = {
      version: String(version),
      members: [...members.values()],
      owners: owners.map(owner => (owner === undefined ? NO_OWNER : (indexes.get(owner) ?? NO_OWNER))),
      epochs: epochs.slice(),
    };
    return this.#view;
  }
}

/** Delays and losses of the messages between one core of the cluster and the simulated owner table. */
export interface SimulatedPath {
  /**
   * Waits for the simulated delay of a message. Never resolves if the core that sends or receives the message was
   * killed.
   */
  travel(): Promise<void>;
  /** Returns true if a simulated message gets lost. */
  isLost(): boolean;
}

/**
 * The simulated owner table as one core of the cluster sees it: with delays, lost messages and missing confirmations.
 */
export function tableOf(table: SimulatedTable, self: Member, path: SimulatedPath): OwnerTable {
  const send = async <T>(work: () => T): Promise<T> => {
    await path.travel();
    if (path.isLost()) throw new CallFailed('the request was lost');
    let result: T | undefined;
    let failure: unknown;
    try {
      result = work();
    } catch (error) {
      failure = error;
    }
    await path.travel();
    if (path.isLost()) throw new CallFailed('the reply was lost');
    if (failure !== undefined) throw failure;
    return result as T;
  };
  return {
    renew: (state, known) => send(() => table.renew(self, state, known)),
    claim: (buckets, above) => send(() => table.claim(self.id, buckets, above)),
    give: owned => send(() => table.give(self.id, owned)),
    endLease: id => send(() => table.endLease(self.id, id)),
  };
}
