import { randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { type StatusObject, status } from '@grpc/grpc-js';
import { internalMetadata, LINK_ID_KEY } from '../../proto/clients.ts';
import type { ServerServiceClient } from '../../proto/generated/gsq/v1/ServerService.ts';
import { fromGrpcStatus, type ServiceError } from '../../proto/service-error.ts';
import { fetchStreamMethod } from '../../proto/streams/fetch-service.ts';
import type { Logger } from '../../runtime/log.ts';
import type { CallTable } from './call-table.ts';
import { coreAway } from './core-errors.ts';
import { CoreStream } from './core-stream.ts';

const MIN_BACKOFF_MS = 50;
const MAX_BACKOFF_MS = 2_000;
const CLOSE_LIMIT_MS = 500;
const WENT_AWAY = 'The service went away while it worked on this request; try again.';
/**
 * gRPC statuses that show a permanent problem, which would also end the next stream. If a stream ends with such a
 * status, its calls fail and are not sent again.
 */
const PERMANENT: ReadonlySet<status> = new Set([
  status.UNAUTHENTICATED,
  status.PERMISSION_DENIED,
  status.UNIMPLEMENTED,
  status.RESOURCE_EXHAUSTED,
]);

interface PoolEvents {
  /** Called after a stream to the core has opened. */
  onOpen(): void;
  /** Called when the core has replied to a call on one of the streams. */
  onReply(): void;
  /** Called when a stream to the core accepts calls again, after its send buffer was full. */
  onDrain(): void;
  /**
   * Called when a stream has ended. If `retryable` is true, the calls of the stream can be sent again on another
   * stream. If it is false, the calls fail with `error`.
   */
  onEnd(stream: CoreStream, retryable: boolean, error: ServiceError): void;
}

/**
 * Keeps a fixed number of FetchStreams to the core open. Reopens each stream that ends, after an exponential backoff
 * with jitter.
 */
export class StreamPool {
  readonly #client: ServerServiceClient;
  readonly #secret: string;
  /**
   * Random id of this gateway's connection to the core, the same for all streams. By this id and the id of a call, the
   * core recognises a call that is sent again.
   */
  readonly #linkId = randomBytes(16).toString('hex');
  readonly #log: Logger;
  readonly #calls: CallTable;
  readonly #events: PoolEvents;
  readonly #open = new Set<CoreStream>();
  readonly #closing = new AbortController();
  readonly #reconnects: Promise<void>[];
  /**
   * The last logged reason why a stream ended. If the next stream ends for the same reason, nothing is logged. A reply
   * from the core resets this value to undefined, so that the next end of a stream is logged in any case.
   */
  #loggedReason: string | undefined;

  constructor(
    client: ServerServiceClient,
    secret: string,
    streams: number,
    calls: CallTable,
    log: Logger,
    events: PoolEvents,
  ) {
    this.#client = client;
    this.#secret = secret;
    this.#calls = calls;
    this.#log = log;
    this.#events = events;
    this.#reconnects = Array.from({ length: streams }, () => this.#keepOpen());
  }

  /** Number of open streams to the core. */
  get size(): number {
    return this.#open.size;
  }

  /**
   * Returns the stream with the fewest calls in progress among the streams that accept calls. Returns undefined if no
   * stream accepts calls.
   */
  leastLoaded(): CoreStream | undefined {
    let least: CoreStream | undefined;
    for (const stream of this.#open) {
      if (stream.writable && (!least || stream.load < least.load)) least = stream;
    }
    return least;
  }

  /** Opens no more streams to the core. Streams that are already open stay open. */
  stopReconnecting(): void {
    this.#closing.abort();
  }

  /**
   * Ends all streams. Streams that are still open after a time limit are cancelled. Resolves when all streams have
   * ended.
   */
  async closeStreams(): Promise<void> {
    this.stopReconnecting();
    for (const stream of this.#open) stream.end();
    const limit = setTimeout(() => {
      for (const stream of this.#open) stream.cancel();
    }, CLOSE_LIMIT_MS);
    await Promise.all(this.#reconnects);
    clearTimeout(limit);
  }

  /**
   * Keeps one stream to the core open: when the stream ends, opens a new one. Stops when the pool of streams closes.
   * Never rejects.
   */
  async #keepOpen(): Promise<void> {
    const { signal } = this.#closing;
    let backoff = MIN_BACKOFF_MS;
    while (!signal.aborted) {
      await this.#channelReady();
      if (signal.aborted) return;
      const replied = await this.#runStream();
      backoff = replied ? MIN_BACKOFF_MS : Math.min(backoff * 2, MAX_BACKOFF_MS);
      // The random delay (jitter) keeps many gateways from reconnecting at the same time.
      await delay(backoff * (0.5 + Math.random() / 2), undefined, { signal }).catch(() => {});
    }
  }

  /** Resolves when the gRPC channel to the core is connected, or when this pool of streams closes. */
  #channelReady(): Promise<void> {
    return new Promise(resolve => {
      const { signal } = this.#closing;
      const done = (): void => {
        signal.removeEventListener('abort', done);
        resolve();
      };
      signal.addEventListener('abort', done);
      this.#client.waitForReady(Number.POSITIVE_INFINITY, done);
    });
  }

  /** Opens one stream and waits until it ends. Resolves to true if a reply arrived on the stream. */
  #runStream(): Promise<boolean> {
    return new Promise(resolve => {
      let replied = false;
      const { path, serialize, deserialize } = fetchStreamMethod;
      const metadata = internalMetadata(this.#secret);
      metadata.set(LINK_ID_KEY, this.#linkId);
      const duplex = this.#client.makeBidiStreamRequest(path, serialize, deserialize, metadata);
      const stream = new CoreStream(duplex, this.#calls, {
        onReply: (call, reply) => {
          replied = true;
          this.#events.onReply();
          this.#loggedReason = undefined;
          call.succeed(reply);
        },
        onDrain: () => this.#events.onDrain(),
        onEnd: ended => {
          this.#open.delete(stream);
          this.#logEnd(ended);
          const retryable = !stream.sentGarbage && !PERMANENT.has(ended.code);
          // If the core has replied to some calls on this stream, it has perhaps begun to work on the other calls too.
          // If one of these other calls fails, its error message says this (`WENT_AWAY`).
          this.#events.onEnd(stream, retryable, coreAway(replied ? WENT_AWAY : undefined));
          resolve(replied);
        },
      });
      this.#open.add(stream);
      this.#events.onOpen();
    });
  }

  /**
   * Logs why a stream to the core ended. Does not log the same reason twice in a row, because all streams usually end
   * for the same reason.
   */
  #logEnd(ended: StatusObject): void {
    if (this.#closing.signal.aborted) return;
    const facts = { code: status[ended.code], reason: fromGrpcStatus(ended)?.code };
    const reason = `${facts.code} ${facts.reason}`;
    if (reason === this.#loggedReason) return;
    this.#loggedReason = reason;
    // A wrong secret or an incompatible core is logged with the level `error`, because only an operator can repair it.
    const level =
      ended.code === status.UNAUTHENTICATED || ended.code === status.UNIMPLEMENTED ? 'error' : 'warn';
    this.#log[level]({ ...facts, details: ended.details }, 'a stream to the core ended');
  }
}
