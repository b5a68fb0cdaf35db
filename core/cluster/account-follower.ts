import type { ClientReadableStream } from '@grpc/grpc-js';
import type { FollowAccountsResponse__Output } from '../../proto/generated/gsq/v1/FollowAccountsResponse.ts';
import type { OwnCharges } from '../access/own-charges.ts';
import type { AccountState } from './account-entries.ts';
import { AccountUpdates } from './account-updates.ts';
import type { Ownership } from './ownership.ts';
import type { Peers } from './peers.ts';

/**
 * Interval at which this core reports admitted requests to the lead (the core that owns the accounts), ms. Other cores
 * do not know a request before it is reported. So a FREE token can exceed its daily quota for this time.
 */
const REPORT_MS = 1_000;
/** Maximum time to wait until the lead core answers a usage report, ms. */
const REPORT_TIMEOUT_MS = 2_000;
/** Time after which a lost stream to the lead core is opened again, ms. */
const RETRY_MS = 500;

/** Options of `AccountFollower`, which copies the accounts from the lead core. */
export interface AccountFollowerOptions {
  state: AccountState;
  /** The requests that this core has admitted and that the lead core has not counted yet. */
  own: OwnCharges;
  ownership: Ownership;
  peers: Pick<Peers, 'client' | 'metadata'>;
  /**
   * Called if this core cannot use the accounts (tokens and their usage) of the lead core, because the two cores have
   * different token keys.
   */
  onUnusable(error: Error): void;
}

/** An open stream, on which the lead core sends all tokens and their usage to this core. */
interface LeadStream {
  readonly leadId: string;
  readonly call: ClientReadableStream<FollowAccountsResponse__Output>;
  readonly updates: AccountUpdates;
}

/**
 * Copies the tokens and their usage from the lead core. Also reports to the lead which requests this core has admitted.
 * While there is no lead, this core uses the last copy that it has.
 */
export class AccountFollower {
  readonly #options: AccountFollowerOptions;
  #stream: LeadStream | undefined;
  /**
   * Id of the lead that sent the last account message. Empty if this core has got no such message yet. Another core may
   * have become the lead since then.
   */
  #leadId = '';
  #reporting: Promise<boolean> | undefined;
  #unwatch = (): void => {};
  #retry: NodeJS.Timeout | undefined;
  #reports: NodeJS.Timeout | undefined;

  constructor(options: AccountFollowerOptions) {
    this.#options = options;
  }

  /** Begins to copy the accounts of the lead core, and to report to it which requests this core admits. */
  start(): void {
    this.#unwatch = this.#options.ownership.watch(() => this.#connect());
    this.#reports = setInterval(() => void this.report(), REPORT_MS).unref();
    this.#connect();
  }

  /** True while this core has a complete copy of the accounts of the lead core, and receives all their changes. */
  get isCurrent(): boolean {
    return this.#stream?.updates.isComplete === true;
  }

  /**
   * Reports admitted requests of this core to the lead core. Resolves to true if the lead has counted them; false if
   * the report failed, or if there is nothing to report.
   */
  report(): Promise<boolean> {
    this.#reporting ??= this.#sendReport().finally(() => {
      this.#reporting = undefined;
    });
    return this.#reporting;
  }

  /** Stops copying the accounts of the lead core, and sends it no more usage reports. */
  stop(): void {
    this.#unwatch();
    clearInterval(this.#reports);
    clearTimeout(this.#retry);
    const { call } = this.#stream ?? {};
    this.#stream = undefined;
    call?.cancel();
  }

  async #sendReport(): Promise<boolean> {
    const { own, ownership, peers } = this.#options;
    const { lead, self } = ownership;
    // Sends no report until this core has a complete copy of the accounts of the lead. Together with this copy, the
    // lead says which reports of this core it has already counted. Only then does this core know which reports it must
    // send.
    if (!lead || !this.isCurrent || this.#stream?.leadId !== lead.id) return false;
    const report = own.nextReport();
    if (!report) return false;
    const { sequence } = report;
    const request = { memberId: self.id, sequence, uses: [...report.uses] };
    const isAdded = await new Promise<boolean>(resolve => {
      const deadline = Date.now() + REPORT_TIMEOUT_MS;
      peers
        .client(lead)
        .chargeTokens(request, peers.metadata, { deadline }, error => resolve(error === null));
    });
    if (isAdded && this.#leadId === lead.id) own.acknowledge(sequence);
    return isAdded;
  }

  #connect(): void {
    const { state, own, ownership, peers } = this.#options;
    const { lead, self } = ownership;
    if (!lead || lead.id === self.id || this.#stream?.leadId === lead.id) return;
    clearTimeout(this.#retry);
    this.#stream?.call.cancel();
    const updates = new AccountUpdates(state, own);
    const call = peers.client(lead).followAccounts({ memberId: self.id }, peers.metadata);
    const stream = { leadId: lead.id, call, updates };
    this.#stream = stream;
    call.on('data', (message: FollowAccountsResponse__Output) => {
      if (this.#stream === stream) this.#apply(stream, message);
    });
    // A failed stream can emit both `error` and `end`. `#lose` ignores the second event.
    call.on('error', () => this.#lose(stream));
    call.on('end', () => this.#lose(stream));
  }

  #apply({ leadId, updates }: LeadStream, message: FollowAccountsResponse__Output): void {
    if (this.#leadId !== leadId) {
      // Another core has become the lead. Usage reports that the old lead has not confirmed as counted must be sent
      // again.
      this.#options.own.changeLead();
      this.#leadId = leadId;
    }
    try {
      updates.apply(message);
    } catch (error) {
      this.stop();
      this.#options.onUnusable(error instanceof Error ? error : new Error(String(error)));
    }
  }

  #lose(stream: LeadStream): void {
    if (this.#stream !== stream) return;
    this.#stream = undefined;
    this.#options.ownership.refresh();
    clearTimeout(this.#retry);
    this.#retry = setTimeout(() => this.#connect(), RETRY_MS).unref();
  }
}
