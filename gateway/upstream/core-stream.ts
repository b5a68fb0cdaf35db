import type { ClientDuplexStream, StatusObject } from '@grpc/grpc-js';
import { decodeFetchStreamResponse, type FetchReply } from '../../proto/generated/codec/fetch.ts';
import type { CallTable } from './call-table.ts';
import type { PendingCall } from './pending-call.ts';

/** A FetchStream whose messages are bytes. */
export type FetchDuplex = ClientDuplexStream<Buffer, Buffer>;

interface StreamEvents {
  /** A reply arrived for a call that this stream carries. */
  onReply(call: PendingCall, reply: FetchReply): void;
  /** The stream accepts calls again. */
  onDrain(): void;
  /** The stream ended; the calls it carried get no reply on it. */
  onEnd(status: StatusObject): void;
}

/**
 * One open FetchStream. A write to a dead gRPC stream succeeds silently, so every call stays in the table until its reply or
 * the end of the stream, after which it is sent on another stream.
 */
export class CoreStream {
  readonly #duplex: FetchDuplex;
  /** Calls sent and not settled, except those that wait for a probe. */
  load = 0;
  /** Whether it was cancelled because a message of the core could not be decoded. */
  sentGarbage = false;
  #full = false;

  constructor(duplex: FetchDuplex, calls: CallTable, events: StreamEvents) {
    this.#duplex = duplex;
    duplex.on('data', (message: Buffer) => {
      let replies: FetchReply[];
      try {
        ({ replies } = decodeFetchStreamResponse(message));
      } catch {
        // The calls of the stream fail when it ends.
        this.sentGarbage = true;
        duplex.cancel();
        return;
      }
      for (const reply of replies) {
        const call = calls.findCall(reply.id);
        // A reply that finds no call of this stream came after the deadline of its call.
        if (call?.carrier === this) events.onReply(call, reply);
      }
    });
    duplex.on('drain', () => {
      this.#full = false;
      events.onDrain();
    });
    // gRPC emits `status` after every error too; without this listener Node would throw the error.
    duplex.on('error', () => {});
    duplex.on('status', (status: StatusObject) => events.onEnd(status));
  }

  /** Whether the stream accepts calls; if not, `onDrain` follows. */
  get writable(): boolean {
    return !this.#full;
  }

  /** Sends calls in one message. */
  sendCalls(calls: readonly PendingCall[]): void {
    for (const call of calls) {
      call.carrier = this;
      if (!call.waitsForProbe) this.load++;
    }
    const [first] = calls;
    const message =
      calls.length === 1 && first ? first.message : Buffer.concat(calls.map(call => call.message));
    this.#full = !this.#duplex.write(message);
  }

  /** Half-closes the stream: the core ends it after its last reply. */
  end(): void {
    this.#duplex.end();
  }

  cancel(): void {
    this.#duplex.cancel();
  }
}
