import type { FetchCall } from '../../proto/generated/gsq/v1/FetchCall.ts';
import type { FetchReply__Output } from '../../proto/generated/gsq/v1/FetchReply.ts';
import type { ServiceError } from '../../proto/service-error.ts';

/** A call on its way to the core and back. It settles once: by its answer, its failure or its deadline. */
export class PendingCall {
  readonly id: number;
  readonly message: FetchCall;
  /** About how many bytes it takes in a message. */
  readonly bytes: number;
  readonly answer: Promise<FetchReply__Output>;
  readonly #resolve: (reply: FetchReply__Output) => void;
  readonly #reject: (error: ServiceError) => void;
  readonly #deadline: NodeJS.Timeout;
  readonly #cleanups: (() => void)[] = [];

  /** `late`: what it fails with once `timeoutMs` are over. */
  constructor(
    message: FetchCall & { id: number },
    bytes: number,
    timeoutMs: number,
    late: () => ServiceError,
  ) {
    this.id = message.id;
    this.message = message;
    this.bytes = bytes;
    const { promise, resolve, reject } = deferred<FetchReply__Output>();
    this.answer = promise;
    this.#resolve = resolve;
    this.#reject = reject;
    this.#deadline = setTimeout(() => this.fail(late()), timeoutMs);
  }

  /** Runs `cleanup` when the call settles. */
  onSettled(cleanup: () => void): void {
    this.#cleanups.push(cleanup);
  }

  succeed(reply: FetchReply__Output): void {
    this.#settle();
    this.#resolve(reply);
  }

  fail(error: ServiceError): void {
    this.#settle();
    this.#reject(error);
  }

  #settle(): void {
    clearTimeout(this.#deadline);
    for (const cleanup of this.#cleanups.splice(0)) cleanup();
  }
}

interface Deferred<T> {
  promise: Promise<T>;
  resolve: (value: T) => void;
  reject: (error: ServiceError) => void;
}

function deferred<T>(): Deferred<T> {
  let resolve: (value: T) => void = () => {};
  let reject: (error: ServiceError) => void = () => {};
  const promise = new Promise<T>((yes, no) => {
    resolve = yes;
    reject = no;
  });
  return { promise, resolve, reject };
}
