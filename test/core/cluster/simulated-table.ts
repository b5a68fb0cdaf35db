import { ALL_BUCKETS } from '../../../core/cluster/buckets.ts';
import { LEASE_MS } from '../../../core/cluster/member-lease.ts';
import {
  type Claim,
  type ListedMember,
  type MemberState,
  type OwnersView,
  type OwnerTable,
  type Renewal,
  StoreInUse,
} from '../../../core/cluster/owner-table.ts';
import type { Member } from '../../../core/cluster/ownership.ts';

interface TableState {
  version: number;
  epoch: number;
  members: Map<string, { listed: ListedMember; ends: number }>;
  owners: (string | undefined)[];
  epochs: number[];
}

function copyOf({ version, epoch, members, owners, epochs }: TableState): TableState {
  const copied = Array.from(members, ([id, member]) => [id, { ...member }] as const);
  return { version, epoch, members: new Map(copied), owners: owners.slice(), epochs: epochs.slice() };
}

/** Error of a simulated call that did not reach the table, or whose reply was lost, or which no replica confirmed. */
export class CallFailed extends Error {}

/**
 * The table of owners of a simulated cluster, with the same rules as the Lua scripts in
 * core/store/redis/table-scripts.ts. Changes are executed at once; `SimulatedCall` adds delays and failures.
 */
export class SimulatedTable {
  readonly #now: () => number;
  #state: TableState = {
    version: 0,
    epoch: 0,
    members: new Map(),
    owners: new Array(ALL_BUCKETS).fill(undefined),
    epochs: new Array(ALL_BUCKETS).fill(0),
  };
  /** What the replicas have, while they do not confirm writes. */
  #replicated: TableState | undefined;
  /** Number of failovers. It is a part of the version, like the random text in the real table. */
  #failovers = 0;
  #view: OwnersView | undefined;

  constructor(now: () => number) {
    this.#now = now;
  }

  get isConfirming(): boolean {
    return this.#replicated === undefined;
  }

  /** Cuts the replicas off, so that no write is confirmed any more. */
  cutReplicas(): void {
    this.#replicated = copyOf(this.#state);
  }

  /** A replica takes over: all writes since `cutReplicas` are lost. */
  failOver(): void {
    if (this.#replicated) this.#state = this.#replicated;
    this.#replicated = undefined;
    this.#failovers++;
    this.#view = undefined;
  }

  renew(self: Member, state: MemberState, known: string): Renewal {
    this.#endLeases();
    const { members } = this.#state;
    for (const { listed } of members.values()) {
      const excludes = state === 'alone' || (!members.has(self.id) && listed.state === 'alone');
      if (listed.id !== self.id && excludes) throw new StoreInUse(listed.id);
    }
    if (members.get(self.id)?.listed.state !== state) this.#change();
    members.set(self.id, { listed: { ...self, state }, ends: this.#now() + LEASE_MS });
    let otherEndsMs = Number.POSITIVE_INFINITY;
    for (const [id, { ends }] of members)
      if (id !== self.id) otherEndsMs = Math.min(otherEndsMs, ends - this.#now());
    const view = this.#readView();
    return { isConfirmed: this.isConfirming, otherEndsMs, view: view.version === known ? undefined : view };
  }

  claim(id: string, buckets: readonly number[], above: number): Claim {
    this.#endLeases();
    const { members, owners, epochs } = this.#state;
    const epoch = Math.max(this.#state.epoch, above) + 1;
    this.#state.epoch = epoch;
    const isFree = (owner: string | undefined): boolean =>
      owner === undefined || owner === id || !members.has(owner);
    const claimed = members.has(id) ? buckets.filter(bucket => isFree(owners[bucket])) : [];
    for (const bucket of claimed) {
      owners[bucket] = id;
      epochs[bucket] = epoch;
    }
    this.#change();
    return { epoch, buckets: claimed };
  }

  give(id: string, owned: readonly { bucket: number; epoch: number }[]): void {
    this.#endLeases();
    const { owners, epochs } = this.#state;
    for (const { bucket, epoch } of owned)
      if (owners[bucket] === id && epochs[bucket] === epoch) owners[bucket] = undefined;
    this.#change();
  }

  leave(id: string): void {
    this.#state.members.delete(id);
    this.#change();
  }

  #endLeases(): void {
    const now = this.#now();
    for (const [id, { ends }] of this.#state.members) {
      if (ends > now) continue;
      this.#state.members.delete(id);
      this.#change();
    }
  }

  #change(): void {
    this.#state.version++;
    this.#view = undefined;
  }

  #readView(): OwnersView {
    if (this.#view) return this.#view;
    const { version, members, owners, epochs } = this.#state;
    const live = owners.map(owner => (owner !== undefined && members.has(owner) ? owner : undefined));
    this.#view = {
      version: `${version}-${this.#failovers}`,
      members: Array.from(members.values(), ({ listed }) => listed),
      owners: live,
      epochs: epochs.slice(),
    };
    return this.#view;
  }
}

/** How the calls of one member reach the simulated table. */
export interface SimulatedPath {
  /** Waits for the time that a message takes on its way. Never resolves if the member was killed. */
  travel(): Promise<void>;
  /** True if a message gets lost. */
  isLost(): boolean;
}

/** The simulated table as one member sees it: with delays, lost messages and missing confirmations. */
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
    async claim(buckets, above) {
      const { claim, isConfirmed } = await send(() => ({
        claim: table.claim(self.id, buckets, above),
        isConfirmed: table.isConfirming,
      }));
      if (!isConfirmed) throw new CallFailed('no replica has confirmed the claim');
      return claim;
    },
    give: owned => send(() => table.give(self.id, owned)),
    leave: () => send(() => table.leave(self.id)),
  };
}
