import type { ClientDuplexStream, StatusObject } from '@grpc/grpc-js';
import { decodeFetchStreamResponse, type FetchReply } from '../../proto/generated/codec/fetch.ts';
import type { CallTable } from './call-table.ts';
import type { PendingCall } from './pending-call.ts';

/** Client side of a gRPC FetchStream. It sends and receives messages as encoded bytes. */
export type FetchDuplex = ClientDuplexStream<Buffer, Buffer>;

interface StreamEvents {
  /** Called when the reply to a call on this stream arrives. */
  onReply(call: PendingCall, reply: FetchReply): void;
  /** Called when the stream accepts calls again, after its send buffer was full. */
  onDrain(): void;
  /**
   * Called when the stream has ended. The owner of the stream must then fail its unanswered calls, or send them on
   * another stream.
   */
  onEnd(status: StatusObject): void;
}

/**
 * One open FetchStream to the core, on which the gateway sends calls. gRPC reports no error if a message is written to
 * a dead stream. Therefore a call stays in the call table until its reply arrives. If the stream ends before that, the
 * gateway sends the call again on another stream.
 */
export class CoreStream {
  readonly #duplex: FetchDuplex;
  /**
   * Number of calls that were sent on this stream and have no result yet. Calls that wait for a probe are not counted,
   * because the core does no work for them.
   */
  load = 0;
  /**
   * True if the stream was cancelled because a message from the core could not be decoded. Its calls then fail and are
   * not sent again.
   */
  sentGarbage = false;
  #full = false;

  constructor(duplex: FetchDuplex, calls: CallTable, events: StreamEvents) {
    this.#duplex = duplex;
    duplex.on('data', (message: Buffer) => {
      let replies: FetchReply[];
      try {
        ({ replies } = decodeFetchStreamResponse(message));
      } catch {
        // The message from the core cannot be decoded, so the stream is cancelled. When it ends, its calls fail.
        this.sentGarbage = true;
        duplex.cancel();
        return;
      }
      for (const reply of replies) {
        const call = calls.findCall(reply.id);
        // Ignores the reply if its call no longer belongs to this stream, for example because the deadline of the call
        // has passed.
        if (call?.carrier === this) events.onReply(call, reply);
      }
    });
    duplex.on('drain', () => {
      this.#full = false;
      events.onDrain();
    });
    // Without an `error` listener, Node would throw the error. The listener does nothing, because gRPC emits `status`
    // after every error, and the `status` listener handles the end of the stream.
    duplex.on('error', () => {});
    duplex.on('status', (status: StatusObject) => events.onEnd(status));
  }

  /** True if the stream accepts calls. If its send buffer is full, it accepts no calls until `onDrain` is called. */
  get writable(): boolean {
    return !this.#full;
  }

  /** Sends several calls to the core in one message. */
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

  /** Half-closes the stream: no more calls are sent, and the core ends the stream after its last reply. */
  end(): void {
    this.#duplex.end();
  }

  cancel(): void {
    this.#duplex.cancel();
  }
}
