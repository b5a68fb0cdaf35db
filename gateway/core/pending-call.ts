import type { FetchReply } from '../../proto/fetch-messages.ts';
import type { ServiceError } from '../../proto/service-error.ts';

/** A call on its way to the core and back. It settles once: by its answer, its failure or its deadline. */
export class PendingCall {
  readonly id: number;
  /** A FetchCall as `encodeFetchCall` wrote it. */
  readonly message: Buffer;
  readonly answer: Promise<FetchReply>;
  #resolve: (reply: FetchReply) => void = () => {};
  #reject: (error: ServiceError) => void = () => {};
  readonly #deadline: NodeJS.Timeout;
  readonly #settled: (call: PendingCall) => void;
  /** Where it travels, so that whatever settles it takes it out there too. */
  carrier: { forget(id: number): void } | undefined;

  /** `late`: what it fails with once `timeoutMs` are over. `settled` is told once of its end. */
  constructor(
    id: number,
    message: Buffer,
    timeoutMs: number,
    late: () => ServiceError,
    settled: (call: PendingCall) => void,
  ) {
    this.id = id;
    this.message = message;
    this.#settled = settled;
    this.answer = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
    this.#deadline = setTimeout(() => this.fail(late()), timeoutMs);
  }

  succeed(reply: FetchReply): void {
    this.#settle();
    this.#resolve(reply);
  }

  fail(error: ServiceError): void {
    this.#settle();
    this.#reject(error);
  }

  #settle(): void {
    clearTimeout(this.#deadline);
    this.carrier?.forget(this.id);
    this.#settled(this);
  }
}
