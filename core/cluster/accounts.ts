import { ServiceError } from '../../proto/service-error.ts';
import type { TokenUse } from '../access/own-charges.ts';
import type { StorageEngine } from '../store/storage-engine.ts';
import type { AccountState } from './account-entries.ts';
import { AccountFeed, type AccountMessage } from './account-feed.ts';
import { AccountFollower, type AccountFollowerOptions } from './account-follower.ts';
import type { Ownership } from './ownership.ts';

/** Options of `Accounts`. */
export interface AccountsOptions
  extends AccountState,
    Pick<AccountFollowerOptions, 'own' | 'peers' | 'onUnusable'> {
  engine: Pick<StorageEngine, 'commit'>;
  ownership: Ownership;
  /** Called with the key of each damaged entry about the usage of a token. */
  onCorrupt(key: string): void;
  /** Aborted when the core begins to shut down. */
  closing: AbortSignal;
}

/**
 * The tokens and their usage on one core of a cluster. One core, the lead, writes them to the storage engine; the other
 * cores follow the lead, and report the requests that they admit.
 *
 * A request counts at once on the core that admits it. The other cores learn of it about a second later. Therefore a
 * FREE token can exceed its daily quota by the requests that other cores admit within about a second. If the lead is
 * killed, requests of the last second can be lost or counted twice; a planned change of the lead counts each request
 * once.
 */
export class Accounts {
  readonly #options: AccountsOptions;
  readonly #follower: AccountFollower;
  /** Number of the last report of each core that was added to the usage, keyed by the id of the core. */
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

  /** True if this core has loaded the newest accounts as the lead, and writes them. */
  get isLead(): boolean {
    return this.#isLead;
  }

  /** True if the accounts of this core are the newest: this core is the lead, or follows it. */
  get isCurrent(): boolean {
    return this.#isLead || this.#follower.isCurrent;
  }

  /** Begins to follow the lead. Call this method once, before `Ownership.start`. */
  start(): void {
    this.#follower.start();
  }

  /**
   * Makes this core the lead. Call this method when this core has acquired all account buckets. Loads the newest
   * accounts from the storage engine and adds the requests that the last lead did not know. A second call does nothing
   * more. Rejects with ConfigError or StoreDamage like `Tokens.load`; the core must then end.
   */
  lead(): Promise<void> {
    this.#leading ??= this.#lead();
    return this.#leading;
  }

  /**
   * Ends the writing: refuses further changes of tokens, and resolves when all accepted changes are written. Call this
   * method before this core gives the account buckets away. A core gives them away only when it shuts down.
   */
  async unlead(): Promise<void> {
    if (!this.#isLead) return;
    const { tokens, quota, lastUse, engine } = this.#options;
    this.#stopServing();
    this.#isLead = false;
    tokens.unlead();
    quota.flush();
    lastUse.flush();
    // The engine writes in order, so all operations that it accepted earlier are written when this promise resolves.
    await engine.commit([]);
  }

  /**
   * Yields the accounts for another core: a complete copy, then each change. Ends when `signal` is aborted or this core
   * begins to shut down. Throws CORE_1 if this core is not the lead.
   */
  follow(memberId: string, signal: AbortSignal): AsyncGenerator<AccountMessage, undefined> {
    return this.#serving().follow(memberId, signal);
  }

  /**
   * Adds requests that another core has admitted. Ignores a report whose number is not higher than that of the last
   * report of this core, because it has already been added. Throws CORE_1 if this core is not the lead.
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

  /** Reports the admitted requests to the lead. Does the same as `AccountFollower.report`. */
  report(): Promise<boolean> {
    return this.#follower.report();
  }

  /**
   * Reports the last requests to the lead, and stops following it. Call this method when this core admits no more
   * requests, and before the connections to the other cores are closed.
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

  /** Returns the feed of the accounts. Throws CORE_1 if this core is not the lead, or if it shuts down. */
  #serving(): AccountFeed {
    if (this.#feed) return this.#feed;
    throw new ServiceError('CORE_1', 'This core does not own the accounts; ask the lead of the cluster.', {
      retryAfterSeconds: 1,
    });
  }

  /**
   * Ends the streams to the other cores with the last changes, and refuses further reports. The reports that the other
   * cores send from now on go to the next lead.
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
