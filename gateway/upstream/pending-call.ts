import type { FetchReply } from '../../proto/generated/codec/fetch.ts';
import type { ServiceError } from '../../proto/service-error.ts';

/** Receives the result of a call, once. */
export interface CallOutcome {
  succeed(reply: FetchReply): void;
  fail(error: ServiceError): void;
}

/** The owner of pending calls. */
interface CallOwner {
  /** The error of a call whose deadline has passed. */
  timeoutError(): ServiceError;
  /** Called when a call is settled. */
  forgetCall(call: PendingCall): void;
}

/** A call to the core that has no result yet. It is settled once: by its reply, an error or its deadline. */
export class PendingCall {
  readonly id: number;
  /** The encoded FetchCall (`encodeFetchCall`). */
  readonly message: Buffer;
  readonly #outcome: CallOutcome;
  readonly #owner: CallOwner;
  readonly #deadline: NodeJS.Timeout;
  /** Whether its caller asked to wait for a probe, so that the call is in flight without work for the core. */
  readonly waitsForProbe: boolean;
  /** The stream it was sent on; undefined while it is queued. */
  carrier: { load: number } | undefined;
  /** How many streams ended while they carried it. */
  losses = 0;

  constructor(
    id: number,
    message: Buffer,
    timeoutMs: number,
    outcome: CallOutcome,
    owner: CallOwner,
    waitsForProbe = false,
  ) {
    this.id = id;
    this.message = message;
    this.waitsForProbe = waitsForProbe;
    this.#outcome = outcome;
    this.#owner = owner;
    this.#deadline = setTimeout(expireCall, timeoutMs, this);
  }

  succeed(reply: FetchReply): void {
    this.#settle();
    this.#outcome.succeed(reply);
  }

  fail(error: ServiceError): void {
    this.#settle();
    this.#outcome.fail(error);
  }

  /** Fails the call because its deadline has passed. */
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
