import type { ServiceError } from '../../proto/service-error.ts';
import type { PendingCall } from './pending-call.ts';

// Maximum size of a message with several calls, in bytes. It is far below 4 MiB, the default limit of a gRPC server. A
// message with a single call can be slightly larger than this.
const BATCH_BYTES = 1024 * 1024;

/** The calls that are not sent to the core yet, in the order in which they were made. */
export class CallQueue {
  #calls: PendingCall[] = [];
  #bytes = 0;

  /** Total size of the messages of all calls in the queue, in bytes. */
  get bytes(): number {
    return this.#bytes;
  }

  get length(): number {
    return this.#calls.length;
  }

  addCall(call: PendingCall): void {
    this.#calls.push(call);
    this.#bytes += call.message.length;
  }

  /** Removes a call from the queue. The call must be in the queue. */
  removeCall(call: PendingCall): void {
    this.#calls.splice(this.#calls.indexOf(call), 1);
    this.#bytes -= call.message.length;
  }

  /**
   * Removes the calls for the next message from the queue, and returns them: at most `most` calls, of at most 1 MiB in
   * total. The first call is always included, even if it is larger.
   */
  takeBatch(most: number): PendingCall[] {
    const batch = this.#calls.splice(0, this.#batchLength(most));
    for (const { message } of batch) this.#bytes -= message.length;
    return batch;
  }

  /** Puts the unanswered calls of a closed stream back into the queue, in front of all newer calls. */
  requeueCalls(calls: readonly PendingCall[]): void {
    // Sorts the calls by id, oldest first. After the largest 32-bit number, the ids start again at 0, so the id of a
    // newer call can be smaller. Therefore the sort uses the sign of the 32-bit difference, which is right in this
    // case, too.
    this.#calls = [...calls, ...this.#calls].sort((a, b) => (a.id - b.id) | 0);
    for (const { message } of calls) this.#bytes += message.length;
  }

  /** Fails every queued call. A call that fails removes itself from the queue. */
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
