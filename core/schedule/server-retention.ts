import { OPERATOR } from '../admission/insert-guard.ts';
import { isUnknowable, type ServerRecord } from '../servers/server-record.ts';
import type { ServerStore } from '../servers/server-store.ts';

/** Time after which an offline server is forgotten, ms. Applies to servers that have answered at least once. */
const DEAD_MS = 30 * 86_400_000;
/**
 * Time from the insert of a server until it is forgotten, ms. Applies to servers that have never answered and that gsq
 * cannot query.
 */
const UNKNOWABLE_MS = 3_600_000;

/** Objects and settings that `ServerRetention` needs to forget servers. */
export interface ServerRetentionDependencies {
  store: ServerStore;
  /** Number of failed probes after which a server that never answered is forgotten; 0 means never. */
  giveUpAfterProbes: number;
  /**
   * Returns true if the operator set a secret or options for the server with this key. Such a server is never
   * forgotten.
   */
  hasAccess?: (key: string) => boolean;
  /**
   * Called immediately before gsq forgets a server that has never answered. `before`: record of the server before its
   * last probe. `after`: record of the server after this probe.
   */
  onGivenUp?: ((before: ServerRecord, after: ServerRecord) => void) | undefined;
}

/**
 * Forgets servers that were offline for a long time or never answered. Keeps servers that the operator added or for
 * which the operator set a secret or options.
 */
export class ServerRetention {
  readonly #dependencies: ServerRetentionDependencies;
  #forgotten = 0;

  constructor(dependencies: ServerRetentionDependencies) {
    this.#dependencies = dependencies;
  }

  /** Number of servers that gsq has forgotten (stopped tracking) so far. */
  get forgotten(): number {
    return this.#forgotten;
  }

  /**
   * Forgets a server that was offline for a month. Forgets a server earlier if it never answered and cannot be queried,
   * for example because its host name has no IP address. Call this method after each report on a probe.
   */
  forgetIfDead(before: ServerRecord, after: ServerRecord, now: number): void {
    if (this.#isDead(before, after, now)) this.#forget(before, after);
  }

  /**
   * Removes a server that has never answered, if enough of its probes failed. `looks`: number of failed probes in a
   * row.
   */
  forgetIfNeverAnswered(before: ServerRecord, after: ServerRecord, looks: number): void {
    const { giveUpAfterProbes } = this.#dependencies;
    if (after.status !== 'offline' || after.lastOnlineAt !== 0 || this.#isKept(after)) return;
    // If the server was already offline before this probe, it is removed even if `looks` is small. A restart of the
    // core or a failed removal sets `looks` back to 0, so more probes may have failed than `looks` says.
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

  /**
   * Removes a server from the store. Does nothing if the store accepts no writes: the server is then removed after its
   * next failed probe.
   */
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
