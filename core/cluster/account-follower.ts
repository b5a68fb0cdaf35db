import type { ClientReadableStream } from '@grpc/grpc-js';
import type { FollowAccountsResponse__Output } from '../../proto/generated/gsq/v1/FollowAccountsResponse.ts';
import type { OwnCharges } from '../access/own-charges.ts';
import type { AccountState } from './account-entries.ts';
import { AccountUpdates } from './account-updates.ts';
import type { Ownership } from './ownership.ts';
import type { Peers } from './peers.ts';

/**
 * Interval of the reports of charged requests, ms. The daily quota of a FREE token can be exceeded by at most the
 * requests that other cores admit in this time plus the time until the lead has sent the new usage (`AccountFeed`).
 */
const REPORT_MS = 1_000;
/** Maximum time to wait for the answer to a report, ms. */
const REPORT_TIMEOUT_MS = 2_000;
/** Time until a lost stream to the lead is opened again, ms. */
const RETRY_MS = 500;

/** Options of `AccountFollower`. */
export interface AccountFollowerOptions {
  state: AccountState;
  /** The requests that this core has admitted and that the lead does not know yet. */
  own: OwnCharges;
  ownership: Ownership;
  peers: Pick<Peers, 'client' | 'metadata'>;
  /** Called if the accounts of the lead cannot be used, because this core has a different token key. */
  onUnusable(error: Error): void;
}

/** An open stream from the lead. */
interface LeadStream {
  readonly leadId: string;
  readonly call: ClientReadableStream<FollowAccountsResponse__Output>;
  readonly updates: AccountUpdates;
}

/**
 * Keeps tokens and their usage equal to those of the lead, and reports the requests that this core has admitted to the
 * lead. While there is no lead, this core goes on with what it has.
 */
export class AccountFollower {
  readonly #options: AccountFollowerOptions;
  #stream: LeadStream | undefined;
  /** Id of the lead whose messages were applied last. */
  #leadId = '';
  #reporting: Promise<boolean> | undefined;
  #unwatch = (): void => {};
  #retry: NodeJS.Timeout | undefined;
  #reports: NodeJS.Timeout | undefined;

  constructor(options: AccountFollowerOptions) {
    this.#options = options;
  }

  /** Begins to follow the lead. */
  start(): void {
    this.#unwatch = this.#options.ownership.watch(() => this.#connect());
    this.#reports = setInterval(() => void this.report(), REPORT_MS).unref();
    this.#connect();
  }

  /** True while the accounts of this core are those of the lead. */
  get isCurrent(): boolean {
    return this.#stream?.updates.isComplete === true;
  }

  /**
   * Reports the admitted requests to the lead. If a report is already being sent, waits for its end and sends no other.
   * Resolves to true if the lead has added the report, or to false if there was nothing to report, or if the answer was
   * an error or was lost. The report is then repeated later.
   */
  report(): Promise<boolean> {
    this.#reporting ??= this.#sendReport().finally(() => {
      this.#reporting = undefined;
    });
    return this.#reporting;
  }

  /** Stops following the lead, and reports nothing more. */
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
    // Before the first complete copy, it is not known which earlier reports this lead has already added.
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
    // An error event is always followed by the event `end` or `close` of the stream.
    call.on('error', () => this.#lose(stream));
    call.on('end', () => this.#lose(stream));
  }

  #apply({ leadId, updates }: LeadStream, message: FollowAccountsResponse__Output): void {
    if (this.#leadId !== leadId) {
      // The previous lead ends its streams with a last message about the reports that it has added. All others must be
      // reported to the new lead.
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
