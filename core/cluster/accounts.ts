import { ServiceError } from '../../proto/service-error.ts';
import type { TokenUse } from '../access/own-charges.ts';
import type { StorageEngine } from '../store/storage-engine.ts';
import type { AccountState } from './account-entries.ts';
import { AccountFeed, type AccountMessage } from './account-feed.ts';
import { AccountFollower, type AccountFollowerOptions } from './account-follower.ts';
import type { Ownership } from './ownership.ts';

/** Options of `Accounts`, which holds the tokens and their usage. */
export interface AccountsOptions
  extends AccountState,
    Pick<AccountFollowerOptions, 'own' | 'peers' | 'onUnusable'> {
  engine: Pick<StorageEngine, 'commit'>;
  ownership: Ownership;
  /** Called with the key of each damaged entry about the usage of a token. */
  onCorrupt(key: string): void;
  /** Signal that is aborted when the core begins to shut down. */
  closing: AbortSignal;
}

/**
 * The accounts (tokens and their usage) on one core of a cluster. One core, the lead, writes them to the storage
 * engine. The other cores copy them from the lead, and tell the lead which requests they have admitted.
 *
 * A request counts at once on the core that admits it. The other cores learn of it about a second later. Therefore a
 * FREE token can exceed its daily quota by the requests that other cores admit within about a second. If the lead is
 * killed, requests of the last second can be lost or counted twice. A planned change of the lead counts each request
 * once.
 */
export class Accounts {
  readonly #options: AccountsOptions;
  readonly #follower: AccountFollower;
  /**
   * Each other core sends numbered usage reports to this core. A report says how often tokens were used on the other
   * core. Key of the map: id of the other core. Value: number of its newest report that is counted on this core.
   */
  readonly #charged = new Map<string, number>();
  readonly #unwatch: () => void;
  #feed: AccountFeed | undefined;
  #leading: Promise<void> | undefined;
  #isLead = false;

  constructor(options: AccountsOptions) {
    const { tokens, quota, lastUse, own, ownership, peers, onUnusable, closing } = options;
    this.#options = options;
    this.#follower = new AccountFollower({
      state: { tokens, quota, lastUse },
      own,
      ownership,
      peers,
      onUnusable,
    });
    this.#unwatch = ownership.watch(() => this.#forgetLeft());
    closing.addEventListener('abort', () => this.#stopServing());
  }

  /** True if this core is the lead: it has loaded the newest accounts (tokens and their usage), and writes them. */
  get isLead(): boolean {
    return this.#isLead;
  }

  /**
   * True if the accounts (tokens and their usage) on this core are the newest: this core is the lead, or copies them
   * from the lead.
   */
  get isCurrent(): boolean {
    return this.#isLead || this.#follower.isCurrent;
  }

  /**
   * Begins to copy the accounts (tokens and their usage) from the lead, the core that writes them. Call this method
   * once, before `Ownership.start`.
   */
  start(): void {
    this.#follower.start();
  }

  /**
   * Makes this core the lead: the only core that writes the accounts (tokens and their usage). Call this method when
   * this core has acquired all buckets that contain the accounts. Loads the newest accounts from the storage engine.
   * Adds the requests that this core has admitted and that the previous lead did not know. A second call has no further
   * effect. Rejects with ConfigError or StoreDamage like `Tokens.load`; the core must then end.
   */
  lead(): Promise<void> {
    this.#leading ??= this.#lead();
    return this.#leading;
  }

  /**
   * Makes this core stop writing the accounts (tokens and their usage). Refuses further changes of tokens, and resolves
   * when all accepted changes are written. Call this method before another core gets the buckets that contain the
   * accounts. A core gives these buckets away only when it shuts down.
   */
  async unlead(): Promise<void> {
    if (!this.#isLead) return;
    const { tokens, quota, lastUse, engine } = this.#options;
    this.#stopServing();
    this.#isLead = false;
    tokens.unlead();
    quota.flush();
    lastUse.flush();
    // The storage engine writes in order. So when this empty commit has resolved, all operations that the engine
    // accepted earlier are written.
    await engine.commit([]);
  }

  /**
   * Yields the accounts (tokens and their usage) for another core: a complete copy, then each change. Ends when
   * `signal` is aborted or this core begins to shut down. Throws ServiceError CORE_1 if this core is not the lead (the
   * core that writes the accounts).
   */
  follow(memberId: string, signal: AbortSignal): AsyncGenerator<AccountMessage, undefined> {
    return this.#serving().follow(memberId, signal);
  }

  /**
   * Adds the requests in a usage report of another core to the usage of tokens. `sequence`: number of the report.
   * Ignores a report if this or a later report of the same core was already added. Throws ServiceError CORE_1 if this
   * core is not the lead (the core that writes the tokens and their usage).
   */
  charge(memberId: string, sequence: number, uses: readonly TokenUse[]): void {
    this.#serving();
    if (sequence <= this.#chargedOf(memberId)) return;
    this.#charged.set(memberId, sequence);
    const { tokens, quota, lastUse } = this.#options;
    for (const { tokenId, minute, requests, lastUsedMs } of uses) {
      if (!tokens.get(tokenId)) continue;
      quota.addRequests(tokenId, minute, requests);
      lastUse.noteAt(tokenId, lastUsedMs);
    }
  }

  /**
   * Reports to the lead (the core that writes the accounts) the admitted requests of this core that the lead does not
   * know yet. Does the same as `AccountFollower.report`.
   */
  report(): Promise<boolean> {
    return this.#follower.report();
  }

  /**
   * Reports to the lead (the core that writes the accounts) the admitted requests of this core that the lead does not
   * know yet. Then stops copying the accounts from the lead. Call this method when this core admits no more requests,
   * and before the connections to the other cores are closed.
   */
  async close(): Promise<void> {
    while (await this.#follower.report());
    this.#follower.stop();
    this.#unwatch();
  }

  async #lead(): Promise<void> {
    const { tokens, quota, lastUse, onCorrupt, closing } = this.#options;
    this.#follower.stop();
    await tokens.lead();
    await quota.lead(onCorrupt);
    await lastUse.lead(onCorrupt);
    this.#isLead = true;
    if (!closing.aborted)
      this.#feed = new AccountFeed({ tokens, quota, lastUse }, memberId => this.#chargedOf(memberId));
  }

  /**
   * Returns the feed that sends the accounts (tokens and their usage) to the other cores. Throws ServiceError CORE_1 if
   * this core is not the lead (the core that writes the accounts), or if it shuts down.
   */
  #serving(): AccountFeed {
    if (this.#feed) return this.#feed;
    throw new ServiceError('CORE_1', 'This core does not own the accounts; ask the lead of the cluster.', {
      retryAfterSeconds: 1,
    });
  }

  /**
   * Sends the last changes of the accounts (tokens and their usage) to the other cores and ends their streams. Refuses
   * further usage reports. The other cores then report to the next lead, the core that writes the accounts after this
   * one.
   */
  #stopServing(): void {
    this.#feed?.close();
    this.#feed = undefined;
  }

  #chargedOf(memberId: string): number {
    return this.#charged.get(memberId) ?? 0;
  }

  #forgetLeft(): void {
    const live = new Set(this.#options.ownership.members.map(({ id }) => id));
    for (const id of this.#charged.keys()) if (!live.has(id)) this.#charged.delete(id);
  }
}
