import type { FetchReply } from '../../proto/generated/codec/fetch.ts';
import type { ServiceError } from '../../proto/service-error.ts';
import { withHeld } from '../../proto/streams/fetch-service.ts';

/** Receives the result of a call to the core. Exactly one of the two methods is called, exactly once. */
export interface CallOutcome {
  succeed(reply: FetchReply): void;
  fail(error: ServiceError): void;
}

/**
 * Owner of pending calls. A call informs its owner when it has a result. The owner also creates timeout errors for its
 * calls.
 */
interface CallOwner {
  /** Returns the error for a call whose deadline has passed. */
  timeoutError(): ServiceError;
  /** Removes a pending call from its owner. Called when the call gets its result. */
  forgetCall(call: PendingCall): void;
}

/**
 * A call to the core that has no result yet. It gets exactly one result: a reply, an error, or the timeout error if its
 * deadline passes.
 */
export class PendingCall {
  readonly #outcome: CallOutcome;
  #id: number;
  #owner: CallOwner;
  readonly #deadline: NodeJS.Timeout;
  /**
   * True if the call waits for a probe at the core. Load shedding does not count such a call, because the core does no
   * work for it while it waits.
   */
  readonly waitsForProbe: boolean;
  /** IP address of the caller. */
  readonly caller: string;
  #message: Buffer;
  /** The stream on which the call was sent, or undefined while the call is queued. */
  carrier: { load: number } | undefined;
  /**
   * Number of times that this call was sent without getting a reply, because its stream ended or because it moved to
   * another core.
   */
  losses = 0;

  constructor(
    id: number,
    message: Buffer,
    timeoutMs: number,
    outcome: CallOutcome,
    owner: CallOwner,
    waitsForProbe = false,
    caller = '',
  ) {
    this.#id = id;
    this.#message = message;
    this.waitsForProbe = waitsForProbe;
    this.caller = caller;
    this.#outcome = outcome;
    this.#owner = owner;
    this.#deadline = setTimeout(expireCall, timeoutMs, this);
  }

  /** Id of the call. It is unique among the calls of the same link (the gateway's connection to one core). */
  get id(): number {
    return this.#id;
  }

  /** The call as an encoded FetchCall message (`encodeFetchCall`). */
  get message(): Buffer {
    return this.#message;
  }

  /**
   * Prepares the call to be sent again, because its stream ended before the reply arrived. A repeated call does not
   * count against the limit of requests per second.
   */
  prepareRepeat(): void {
    this.losses++;
    this.carrier = undefined;
    this.#message = withHeld(this.#message);
  }

  /**
   * Moves the call to the link (connection) to another core. `id`: id of the call on the new link. The call counts
   * twice against the daily quota if the core of the old link has already counted it.
   */
  moveTo(owner: CallOwner, id: number): void {
    if (this.carrier) {
      this.losses++;
      if (!this.waitsForProbe) this.carrier.load--;
    }
    this.carrier = undefined;
    this.#owner = owner;
    this.#id = id;
    this.#message = withHeld(this.#message, id);
  }

  succeed(reply: FetchReply): void {
    this.#settle();
    this.#outcome.succeed(reply);
  }

  fail(error: ServiceError): void {
    this.#settle();
    this.#outcome.fail(error);
  }

  /** Fails the call with a timeout error, because its deadline has passed. */
  expire(): void {
    this.fail(this.#owner.timeoutError());
  }

  #settle(): void {
    clearTimeout(this.#deadline);
    if (this.carrier && !this.waitsForProbe) this.carrier.load--;
    this.#owner.forgetCall(this);
  }
}

function expireCall(call: PendingCall): void {
  call.expire();
}
