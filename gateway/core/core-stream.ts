import type { ClientDuplexStream, StatusObject } from '@grpc/grpc-js';
import type { FetchReply__Output } from '../../proto/generated/gsq/v1/FetchReply.ts';
import type { FetchStreamRequest } from '../../proto/generated/gsq/v1/FetchStreamRequest.ts';
import type { FetchStreamResponse__Output } from '../../proto/generated/gsq/v1/FetchStreamResponse.ts';
import type { PendingCall } from './pending-call.ts';

export type FetchDuplex = ClientDuplexStream<FetchStreamRequest, FetchStreamResponse__Output>;

interface StreamEvents {
  /** An answer to a call that was still waiting for one. */
  answered(call: PendingCall, reply: FetchReply__Output): void;
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
    duplex.on('data', ({ replies }: FetchStreamResponse__Output) => {
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
      call.onSettled(() => this.#inFlight.delete(call.id));
    }
    this.#full = !this.#duplex.write({ calls: calls.map(call => call.message) });
  }

  /** Says that no more calls will come; the core then ends the stream. */
  end(): void {
    this.#duplex.end();
  }

  cancel(): void {
    this.#duplex.cancel();
  }
}
