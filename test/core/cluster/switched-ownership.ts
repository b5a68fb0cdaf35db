import type { Member, Ownership } from '../../../core/cluster/ownership.ts';

/** The members of a simulated cluster, and its lead (the core that writes tokens). The test chooses them. */
export class FakeCluster {
  members: Member[] = [];
  lead: Member | undefined;
  /** Number of calls of `Ownership.refresh` on all cores. */
  refreshes = 0;
  readonly #listeners = new Set<() => void>();

  /** Changes the members of the simulated cluster or its lead (core that writes tokens), and tells all cores. */
  change(change: { members?: Member[]; lead?: Member | undefined }): void {
    Object.assign(this, change);
    for (const listener of [...this.#listeners]) listener();
  }

  /** Creates the `Ownership` object of one core of the simulated cluster. */
  ownershipOf(self: Member): Ownership {
    const cluster = this;
    return {
      self,
      get members() {
        return cluster.members;
      },
      get lead() {
        return cluster.lead;
      },
      isValid: true,
      owns: () => cluster.lead?.id === self.id,
      ownerOf: () => cluster.lead,
      refresh() {
        cluster.refreshes++;
      },
      watch(listener) {
        cluster.#listeners.add(listener);
        return () => void cluster.#listeners.delete(listener);
      },
      start() {},
    };
  }
}
