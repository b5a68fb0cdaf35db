import type { Accounts } from './accounts.ts';
import { LeaseLost } from './membership.ts';
import type { BucketHolder } from './ownership.ts';

/** Options of `LeadAccounts`. */
export interface LeadAccountsOptions {
  accounts: Pick<Accounts, 'isLead' | 'lead' | 'unlead'>;
  /** Called when this core has become the lead and has loaded the newest accounts. Loads the webhooks. */
  onLead(): Promise<void>;
  /** Called before this core stops being the lead. */
  onUnlead(): void;
  /** True while this core leaves the cluster. */
  isLeaving(): boolean;
}

/** Loads and unloads the accounts (tokens and webhooks) when this core becomes the lead of its cluster, or stops. */
export class LeadAccounts implements BucketHolder {
  readonly #options: LeadAccountsOptions;
  #isLoaded = false;

  constructor(options: LeadAccountsOptions) {
    this.#options = options;
  }

  /** True if this core is the lead, and has loaded all tokens and webhooks, so that it can answer calls about them. */
  get isLead(): boolean {
    return this.#isLoaded && this.#options.accounts.isLead;
  }

  async take(): Promise<void> {
    const { accounts, onLead } = this.#options;
    await accounts.lead();
    await onLead();
    this.#isLoaded = true;
  }

  /**
   * Rejects with LeaseLost if this core does not leave the cluster. Before its shutdown, a core gives the accounts away
   * only if a failover has lost the newest owner table. A core cannot become the lead a second time, so its process must
   * end.
   */
  async give(): Promise<void> {
    const { accounts, onUnlead, isLeaving } = this.#options;
    onUnlead();
    this.#isLoaded = false;
    await accounts.unlead();
    if (!isLeaving())
      throw new LeaseLost(
        'after a failover, the owner table no longer names this core as owner of the accounts',
      );
  }
}
