import type { FetchReply } from '../../proto/generated/codec/fetch.ts';
import type { ServiceError } from '../../proto/service-error.ts';

/** Told once how a call ended. */
export interface CallOutcome {
  succeed(reply: FetchReply): void;
  fail(error: ServiceError): void;
}

/** What a call is part of. */
interface Holder {
  /** The error of a call whose time is over. */
  late(): ServiceError;
  /** Told when the call is settled. */
  settled(call: PendingCall): void;
}

/** A call on its way to the core and back. It settles once: by its answer, its failure or its deadline. */
export class PendingCall {
  readonly id: number;
  /** A FetchCall as `encodeFetchCall` wrote it. */
  readonly message: Buffer;
  readonly #outcome: CallOutcome;
  readonly #holder: Holder;
  readonly #deadline: NodeJS.Timeout;
  /** Whether its caller asked to wait for a probe, which keeps it in flight without work for anybody. */
  readonly waits: boolean;
  /** Where it travels; undefined while it waits for that. */
  carrier: { load: number } | undefined;
  /** Streams that ended while it travelled on them. */
  losses = 0;

  constructor(
    id: number,
    message: Buffer,
    timeoutMs: number,
    outcome: CallOutcome,
    holder: Holder,
    waits = false,
  ) {
    this.id = id;
    this.message = message;
    this.waits = waits;
    this.#outcome = outcome;
    this.#holder = holder;
    this.#deadline = setTimeout(expire, timeoutMs, this);
  }

  succeed(reply: FetchReply): void {
    this.#settle();
    this.#outcome.succeed(reply);
  }

  fail(error: ServiceError): void {
    this.#settle();
    this.#outcome.fail(error);
  }

  /** Its time is over. */
  expire(): void {
    this.fail(this.#holder.late());
  }

  #settle(): void {
    clearTimeout(this.#deadline);
    if (this.carrier && !this.waits) this.carrier.load--;
    this.#holder.settled(this);
  }
}

function expire(call: PendingCall): void {
  call.expire();
}
