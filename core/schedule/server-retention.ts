import { OPERATOR } from '../admission/insert-guard.ts';
import { isUnknowable, type ServerRecord } from '../servers/server-record.ts';
import type { ServerStore } from '../servers/server-store.ts';

/** A server that answered once is forgotten after it was offline this long, ms. */
const DEAD_MS = 30 * 86_400_000;
/** A server that never answered and cannot be asked is forgotten this long after its insert, ms. */
const UNKNOWABLE_MS = 3_600_000;

export interface ServerRetentionDependencies {
  store: ServerStore;
  /** Failed probes after which a server that never answered is forgotten; 0: never. */
  giveUpAfterProbes: number;
  /** Whether the operator set a secret or options for a server, by its key; such a server is never forgotten. */
  hasAccess?: (key: string) => boolean;
  /** Called before a server is forgotten that never answered, with its record before and after its last probe. */
  onGivenUp?: ((before: ServerRecord, after: ServerRecord) => void) | undefined;
}

/** Forgets servers that are of no use to anybody: long offline, or never answered. Servers the operator added stay. */
export class ServerRetention {
  readonly #dependencies: ServerRetentionDependencies;
  #forgotten = 0;

  constructor(dependencies: ServerRetentionDependencies) {
    this.#dependencies = dependencies;
  }

  /** Number of servers forgotten so far. */
  get forgotten(): number {
    return this.#forgotten;
  }

  /** Forgets a server that was offline for a month, or never answered and cannot be asked. Call after each applied report. */
  forgetIfDead(before: ServerRecord, after: ServerRecord, now: number): void {
    if (this.#isDead(before, after, now)) this.#forget(before, after);
  }

  /** Forgets a server that never answered and was probed in vain often enough. `looks`: probes in a row without a valid reply. */
  forgetIfNeverAnswered(before: ServerRecord, after: ServerRecord, looks: number): void {
    const { giveUpAfterProbes } = this.#dependencies;
    if (after.status !== 'offline' || after.lastOnlineAt !== 0 || this.#isKept(after)) return;
    // `looks` starts anew with the core, and at a server that could not be removed before; both were offline already.
    if (giveUpAfterProbes > 0 && (looks >= giveUpAfterProbes || before.status === 'offline'))
      this.#forget(before, after);
  }

  #isDead(before: ServerRecord, after: ServerRecord, now: number): boolean {
    const { status, lastOnlineAt, insertedAt, reason } = after;
    if (status === 'online' || this.#isKept(after)) return false;
    if (lastOnlineAt !== 0) return status === 'offline' && now - lastOnlineAt > DEAD_MS;
    if (this.#dependencies.giveUpAfterProbes === 0 || !isUnknowable(reason)) return false;
    return before.status === 'offline' || now - insertedAt > UNKNOWABLE_MS;
  }

  #isKept({ key, insertedBy }: ServerRecord): boolean {
    return insertedBy === OPERATOR || this.#dependencies.hasAccess?.(key) === true;
  }

  /** Removes a server. If the store cannot write, the server stays until its next probe fails. */
  #forget(before: ServerRecord, after: ServerRecord): void {
    const { store, onGivenUp } = this.#dependencies;
    if (!store.writable) return;
    if (after.lastOnlineAt === 0) onGivenUp?.(before, after);
    store.remove([after.key]).then(
      () => this.#forgotten++,
      () => {},
    );
  }
}
