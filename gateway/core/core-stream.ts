import type { ClientDuplexStream, StatusObject } from '@grpc/grpc-js';
import { decodeFetchReplies, type FetchReply } from '../../proto/fetch-messages.ts';
import type { PendingCall } from './pending-call.ts';

/** A FetchStream whose messages are bytes. */
export type FetchDuplex = ClientDuplexStream<Buffer, Buffer>;

interface StreamEvents {
  /** An answer to a call that was still waiting for one. */
  answered(call: PendingCall, reply: FetchReply): void;
  /** It takes calls again. */
  drained(): void;
  /** It ended, for whatever reason; `unanswered` will never be answered. */
  dead(unanswered: PendingCall[], status: StatusObject): void;
}

/**
 * One open FetchStream and the calls that travelled on it. A write to a dead gRPC stream succeeds silently, so
 * every call stays in `inFlight` until its answer or the end of the stream settles it.
 */
export class CoreStream {
  readonly #duplex: FetchDuplex;
  readonly #inFlight = new Map<number, PendingCall>();
  #full = false;

  constructor(duplex: FetchDuplex, events: StreamEvents) {
    this.#duplex = duplex;
    duplex.on('data', (message: Buffer) => {
      let replies: FetchReply[];
      try {
        replies = decodeFetchReplies(message);
      } catch {
        // What the core says makes no sense: its calls fail with the stream.
        duplex.cancel();
        return;
      }
      for (const reply of replies) {
        const call = this.#inFlight.get(reply.id);
        // A reply without its call came after the call's deadline.
        if (call) events.answered(call, reply);
      }
    });
    duplex.on('drain', () => {
      this.#full = false;
      events.drained();
    });
    // The status event follows every end, an error's too; without this listener an error would be thrown.
    duplex.on('error', () => {});
    duplex.on('status', (status: StatusObject) => {
      const unanswered = [...this.#inFlight.values()];
      this.#inFlight.clear();
      events.dead(unanswered, status);
    });
  }

  /** Calls sent and not settled. */
  get load(): number {
    return this.#inFlight.size;
  }

  /** Whether it takes calls now; where not, `drained` will tell. */
  get writable(): boolean {
    return !this.#full;
  }

  send(calls: readonly PendingCall[]): void {
    for (const call of calls) {
      this.#inFlight.set(call.id, call);
      call.carrier = this;
    }
    const [first] = calls;
    const message =
      calls.length === 1 && first ? first.message : Buffer.concat(calls.map(call => call.message));
    this.#full = !this.#duplex.write(message);
  }

  /** Takes out a call that is settled. */
  forget(id: number): void {
    this.#inFlight.delete(id);
  }

  /** Says that no more calls will come; the core then ends the stream. */
  end(): void {
    this.#duplex.end();
  }

  cancel(): void {
    this.#duplex.cancel();
  }
}
