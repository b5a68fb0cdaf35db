import {
  type Client,
  type ClientDuplexStream,
  type Metadata,
  type StatusObject,
  status,
} from '@grpc/grpc-js';
import { internalMetadata } from '../../proto/clients.ts';
import type { JsonReply, JsonStreamResponse } from '../../proto/generated/codec/json.ts';
import {
  encodeCancellation,
  encodeJsonCall,
  entriesOf,
  jsonStreamMethod,
} from '../../proto/streams/json-stream.ts';

/** A call for a JsonStream. */
export interface StreamedCall {
  /** Path of the method, such as `/gsq.v1.ServerService/ListServersJson`. */
  path: string;
  /** The encoded request message. */
  request: Buffer;
  metadata: Metadata;
  /** Longest time to wait for the reply, in milliseconds. */
  timeoutMs: number;
}

/**
 * Outcome of a call on a JsonStream without a reply of the core. `not begun`: the core has not begun the call, so the
 * caller can repeat it, even if the method has side effects.
 */
export type NoReply = 'timeout' | 'cancelled' | 'lost' | 'not begun';

interface PendingCall {
  settle(outcome: JsonReply | NoReply): void;
}

/**
 * One JsonStream to a core. On it, the gateway calls unary methods that return JSON. For such a call, gateway and core
 * need less CPU time than for a gRPC call of its own (docs/performance.md, Search).
 */
export class JsonStream {
  readonly #duplex: ClientDuplexStream<Buffer, JsonStreamResponse>;
  /** The calls without an outcome, keyed by their id. */
  readonly #pending = new Map<number, PendingCall>();
  #lastId = 0;
  #isOpen = false;

  /** Begins to open a stream. `onEnd`: called when the stream has ended, or when it could not be opened. */
  constructor(client: Client, secret: string, onEnd: () => void) {
    const { path, serialize, deserialize } = jsonStreamMethod;
    const duplex = client.makeBidiStreamRequest(path, serialize, deserialize, internalMetadata(secret));
    this.#duplex = duplex;
    // The core sends its metadata as soon as the stream is open. A core of an older version, which does not know the
    // method, sends none.
    duplex.on('metadata', () => {
      this.#isOpen = true;
    });
    duplex.on('data', ({ replies }: JsonStreamResponse) => {
      for (const reply of replies) this.#pending.get(reply.id)?.settle(reply.notBegun ? 'not begun' : reply);
    });
    // Without an `error` listener, Node would throw the error. The `status` listener handles the end of the stream.
    duplex.on('error', () => {});
    duplex.on('status', ({ code }: StatusObject) => {
      this.#isOpen = false;
      // Before the core ends the stream without an error, it answers all calls that it has begun.
      const outcome = code === status.OK ? 'not begun' : 'lost';
      for (const call of [...this.#pending.values()]) call.settle(outcome);
      onEnd();
    });
  }

  /** True if the stream accepts calls. */
  get isOpen(): boolean {
    return this.#isOpen;
  }

  /**
   * Calls a method of the core. Resolves to the reply, which can contain an error. Without a reply, resolves to
   * `timeout`, to `cancelled` if one of `signals` was aborted, to `lost` if the stream broke first, or to `not begun`.
   */
  call(
    { path, request, metadata, timeoutMs }: StreamedCall,
    signals: readonly (AbortSignal | undefined)[],
  ): Promise<JsonReply | NoReply> {
    this.#lastId = (this.#lastId + 1) >>> 0;
    const id = this.#lastId;
    return new Promise(resolve => {
      const giveUp = (outcome: NoReply): void => {
        if (!this.#pending.has(id)) return;
        settle(outcome);
        this.#duplex.write(encodeCancellation(id));
      };
      const timer = setTimeout(() => giveUp('timeout'), timeoutMs);
      const settle = (outcome: JsonReply | NoReply): void => {
        clearTimeout(timer);
        this.#pending.delete(id);
        resolve(outcome);
      };
      this.#pending.set(id, { settle });
      for (const signal of signals)
        signal?.addEventListener('abort', () => giveUp('cancelled'), { once: true });
      this.#duplex.write(encodeJsonCall({ id, path, request, metadata: entriesOf(metadata), timeoutMs }));
    });
  }

  /** Sends no more calls. The core ends the stream after its last reply. */
  end(): void {
    this.#isOpen = false;
    this.#duplex.end();
  }

  cancel(): void {
    this.#duplex.cancel();
  }
}
