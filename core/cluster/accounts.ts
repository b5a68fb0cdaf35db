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
 * The accounts (tokens and their usage) on one core of a cluster. One core, the lead, writes them; the others copy
 * them. Other cores learn of an admitted request after about a second, so a FREE token can exceed its daily quota.
 */
export class Accounts {
  readonly #options: AccountsOptions;
  readonly #follower: AccountFollower;
  /**
   * Key: id of another core. Value: sequence number of its newest usage report that this core has counted. The numbers
   * are only in memory. If this core is killed, requests of the last second can be lost or counted twice.
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

  /** True if this core is the lead: it has loaded the newest accounts, and writes them. */
  get isLead(): boolean {
    return this.#isLead;
  }

  /** True if the accounts on this core are the newest: this core is the lead, or copies them from the lead. */
  get isCurrent(): boolean {
    return this.#isLead || this.#follower.isCurrent;
  }

  /**
   * Begins to copy the accounts from the lead, the core that writes them. Call this method once, before
   * `Ownership.start`.
   */
  start(): void {
    this.#follower.start();
  }

  /**
   * Makes this core the only core that writes the accounts. Call this method when this core owns all buckets (groups of
   * store entries) with accounts. Rejects if the stored tokens or their key are not usable; the core must then end.
   */
  lead(): Promise<void> {
    this.#leading ??= this.#lead();
    return this.#leading;
  }

  /**
   * Stops writing the accounts, and resolves when all accepted changes are written. Call this method at shutdown,
   * before another core can become the lead.
   */
  async unlead(): Promise<void> {
    if (!this.#isLead) return;
    const { tokens, quota, lastUse, engine } = this.#options;
    this.#stopServing();
    this.#isLead = false;
    tokens.unlead();
    quota.flush();
    lastUse.flush();
    // The storage engine writes in order, so this empty commit resolves when all earlier operations are written.
    await engine.commit([]);
  }

  /**
   * Yields the accounts for another core: a complete copy, then each change. Ends when `signal` is aborted or this core
   * shuts down. Throws ServiceError CORE_1 if this core does not write the accounts.
   */
  follow(memberId: string, signal: AbortSignal): AsyncGenerator<AccountMessage, undefined> {
    return this.#serving().follow(memberId, signal);
  }

  /**
   * Counts the token uses in a usage report from another core. Ignores the report if a report of the same core with
   * this `sequence` or a higher one was already counted. Throws ServiceError CORE_1 if this core does not write the
   * accounts.
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
   * Reports admitted requests of this core to the lead, the core that writes the accounts. Resolves to true if the lead
   * has counted them. Resolves to false if the report failed, or if there was nothing to report or no lead.
   */
  report(): Promise<boolean> {
    return this.#follower.report();
  }

  /**
   * Reports all unreported requests to the lead (the core that writes the accounts). Then stops copying the accounts.
   * Call this method when this core admits no more requests.
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
   * Returns the feed that sends the accounts to other cores. Throws ServiceError CORE_1 if this core does not write the
   * accounts, or shuts down.
   */
  #serving(): AccountFeed {
    if (this.#feed) return this.#feed;
    throw new ServiceError('CORE_1', 'This core does not own the accounts; ask the lead of the cluster.', {
      retryAfterSeconds: 1,
    });
  }

  /**
   * Sends the last changes of the accounts to the other cores, and ends the streams to these cores. After that, this
   * core accepts no more usage reports.
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
