import type { ClientDuplexStream } from '@grpc/grpc-js';
import { ByteWriter } from '../../../proto/codec/byte-writer.ts';
import {
  type RenderedServers,
  RenderRequestWriter,
  readRendered,
} from '../../../proto/streams/render-service.ts';
import type { RenderedBatch, ServerOwner } from '../../servers/cluster-servers.ts';
import { ownerAway, tooBusy } from './owner-away.ts';

/** A gRPC stream of RenderServers whose messages are encoded bytes. */
export type RenderDuplex = ClientDuplexStream<Buffer, Buffer>;

/**
 * Maximum number of servers in one RenderServers request; sender and receiver check it. The response can have tens of
 * thousands of bytes for each server, and gRPC clients accept responses up to 64 MiB.
 */
export const MAX_RENDERED = 250;
/** Maximum number of servers in all unanswered requests of one stream together. */
export const MAX_ASKED = 64 * 1024;

const busy = tooBusy({ max_servers: String(MAX_ASKED) });

/** The servers of one request on a stream to another core, and the answer to the request. */
class Batch implements RenderedBatch {
  readonly answered: Promise<Error | undefined>;
  readonly request: RenderRequestWriter;
  readonly typed: boolean;
  count = 0;
  rendered: RenderedServers | undefined;
  /**
   * Ends the wait for the answer to this request. `failure`: the error that the waiting fetches get; undefined if the
   * answer has arrived, or if the stream has ended.
   */
  end: (failure?: Error) => void = () => {};
  timer: NodeJS.Timeout | undefined;

  constructor(writer: ByteWriter, typed: boolean) {
    this.request = new RenderRequestWriter(writer, typed);
    this.typed = typed;
    this.answered = new Promise(resolve => {
      this.end = resolve;
    });
  }
}

/**
 * An open RenderServers stream, on which this core requests servers from another core. Collects the servers of one turn
 * of the event loop in requests of up to `MAX_RENDERED` servers, separately for JSON and for protobuf messages. If the
 * stream ends, its unanswered requests end without an error, and their `rendered` stays undefined.
 */
export class RenderStream implements ServerOwner {
  readonly #duplex: RenderDuplex;
  readonly #deadlineMs: number;
  /** The requests on this stream that have no answer yet, in the order in which they were sent. */
  readonly #sent: Batch[] = [];
  /**
   * Requests to the other core that are not sent yet: one for servers as JSON, one for servers as protobuf messages.
   * Each request collects the servers of one turn of the event loop.
   */
  readonly #open = { json: new OpenBatch(false), typed: new OpenBatch(true) };
  #isScheduled = false;
  /** Number of servers in all requests on this stream to which the other core has not replied yet. */
  #asked = 0;
  #hasEnded = false;

  /**
   * `deadlineMs`: time in ms after which an unanswered request fails with the error code CORE_1. The stream is then
   * cancelled. `onEnd`: called once when the stream has ended.
   */
  constructor(duplex: RenderDuplex, deadlineMs: number, onEnd: () => void) {
    this.#duplex = duplex;
    this.#deadlineMs = deadlineMs;
    duplex.on('data', this.#addAnswer);
    // Without a listener for `error`, Node would throw the error. gRPC emits `status` after each error, and the
    // listener of `status` handles the error.
    duplex.on('error', () => {});
    duplex.on('status', () => {
      this.#hasEnded = true;
      onEnd();
      for (const batch of this.#sent.splice(0)) this.#end(batch);
    });
  }

  render(typed: boolean, gameId: string, text: Buffer, start: number, end: number): RenderedBatch {
    if (this.#asked >= MAX_ASKED) throw busy;
    const open = typed ? this.#open.typed : this.#open.json;
    const batch = open.batch();
    batch.request.add(gameId, text, start, end);
    batch.count++;
    this.#asked++;
    if (batch.count === MAX_RENDERED) this.#send(open);
    else if (!this.#isScheduled) {
      this.#isScheduled = true;
      setImmediate(this.#flush);
    }
    return batch;
  }

  /** Cancels the RenderServers stream, without waiting for answers. */
  cancel(): void {
    this.#duplex.cancel();
  }

  readonly #flush = (): void => {
    this.#isScheduled = false;
    this.#send(this.#open.json);
    this.#send(this.#open.typed);
  };

  #send(open: OpenBatch): void {
    const batch = open.take();
    if (!batch) return;
    const message = batch.request.takeBytes();
    if (this.#hasEnded) {
      this.#end(batch);
      return;
    }
    this.#sent.push(batch);
    batch.timer = setTimeout(() => {
      this.#end(batch, ownerAway());
      this.cancel();
    }, this.#deadlineMs);
    this.#duplex.write(message);
  }

  readonly #addAnswer = (message: Buffer): void => {
    const batch = this.#sent.shift();
    if (batch) batch.rendered = readRendered(message, batch.count, batch.typed);
    if (!batch?.rendered) this.cancel();
    if (batch) this.#end(batch);
  };

  #end(batch: Batch, failure?: Error): void {
    clearTimeout(batch.timer);
    this.#asked -= batch.count;
    batch.end(failure);
  }
}

/** A request that was not sent to the other core yet. Servers can still be added to the request. */
class OpenBatch {
  readonly #writer = new ByteWriter();
  readonly #typed: boolean;
  #batch: Batch | undefined;

  constructor(typed: boolean) {
    this.#typed = typed;
  }

  /** Returns the request to which servers can still be added. Begins a new request if there is none. */
  batch(): Batch {
    this.#batch ??= new Batch(this.#writer, this.#typed);
    return this.#batch;
  }

  /**
   * Takes the collected request out of this object, so that the caller can send it. Servers that are added later go
   * into a new request. Returns undefined if there is no request.
   */
  take(): Batch | undefined {
    const batch = this.#batch;
    this.#batch = undefined;
    return batch;
  }
}
