import type { ServiceError } from '../../proto/service-error.ts';
import type { PendingCall } from './pending-call.ts';

// A gRPC server accepts messages up to 4 MiB by default; one call alone takes little over 1 MiB.
const BATCH_BYTES = 1024 * 1024;

/** The queued calls, which no stream carries, in the order they were made. */
export class CallQueue {
  #calls: PendingCall[] = [];

  get length(): number {
    return this.#calls.length;
  }

  addCall(call: PendingCall): void {
    this.#calls.push(call);
  }

  /** Removes a call that is in the queue. */
  removeCall(call: PendingCall): void {
    this.#calls.splice(this.#calls.indexOf(call), 1);
  }

  /** Takes the calls of the next message off the queue: at least one, at most `most`, and over 1 MiB only if it is a single call. */
  takeBatch(most: number): PendingCall[] {
    return this.#calls.splice(0, this.#batchLength(most));
  }

  /** Puts the calls of a closed stream back to where they were in the queue. */
  requeueCalls(calls: readonly PendingCall[]): void {
    // Ids are 32 bits and wrap: the sign of their difference tells their order.
    this.#calls = [...calls, ...this.#calls].sort((a, b) => (a.id - b.id) | 0);
  }

  /** Fails every queued call; each removes itself. */
  failCalls(errorOf: () => ServiceError): void {
    for (const call of [...this.#calls]) call.fail(errorOf());
  }

  #batchLength(most: number): number {
    const calls = this.#calls;
    const end = Math.min(most, calls.length);
    let bytes = 0;
    for (let i = 0; i < end; i++) {
      bytes += calls[i]?.message.length ?? 0;
      if (i > 0 && bytes > BATCH_BYTES) return i;
    }
    return end;
  }
}
