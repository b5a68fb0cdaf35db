import type { ClientDuplexStream, StatusObject } from '@grpc/grpc-js';
import { decodeFetchStreamResponse, type FetchReply } from '../../proto/generated/codec/fetch.ts';
import type { CallTable } from './call-table.ts';
import type { PendingCall } from './pending-call.ts';

/** A FetchStream whose messages are bytes. */
export type FetchDuplex = ClientDuplexStream<Buffer, Buffer>;

interface StreamEvents {
  /** An answer to a call that was still waiting for one. */
  answered(call: PendingCall, reply: FetchReply): void;
  /** It takes calls again. */
  drained(): void;
  /** It ended, for whatever reason; the calls it carried will not be answered on it. */
  dead(status: StatusObject): void;
}

/**
 * One open FetchStream. A write to a dead gRPC stream succeeds silently, so every call it carries stays in the table until
 * its answer or the end of the stream, after which it is sent on another.
 */
export class CoreStream {
  readonly #duplex: FetchDuplex;
  /** Calls sent and not settled, but for those that wait for a probe. */
  load = 0;
  /** Whether it was given up because of what the core said on it. */
  nonsense = false;
  #full = false;

  constructor(duplex: FetchDuplex, calls: CallTable, events: StreamEvents) {
    this.#duplex = duplex;
    duplex.on('data', (message: Buffer) => {
      let replies: FetchReply[];
      try {
        ({ replies } = decodeFetchStreamResponse(message));
      } catch {
        // What the core says makes no sense: its calls fail with the stream.
        this.nonsense = true;
        duplex.cancel();
        return;
      }
      for (const reply of replies) {
        const call = calls.find(reply.id);
        // A reply without its call came after the call's deadline.
        if (call?.carrier === this) events.answered(call, reply);
      }
    });
    duplex.on('drain', () => {
      this.#full = false;
      events.drained();
    });
    // The status event follows every end, an error's too; without this listener an error would be thrown.
    duplex.on('error', () => {});
    duplex.on('status', (status: StatusObject) => events.dead(status));
  }

  /** Whether it takes calls now; where not, `drained` will tell. */
  get writable(): boolean {
    return !this.#full;
  }

  send(calls: readonly PendingCall[]): void {
    for (const call of calls) {
      call.carrier = this;
      if (!call.waits) this.load++;
    }
    const [first] = calls;
    const message =
      calls.length === 1 && first ? first.message : Buffer.concat(calls.map(call => call.message));
    this.#full = !this.#duplex.write(message);
  }

  /** Says that no more calls will come; the core then ends the stream. */
  end(): void {
    this.#duplex.end();
  }

  cancel(): void {
    this.#duplex.cancel();
  }
}
