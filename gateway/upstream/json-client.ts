import { type Client, connectivityState } from '@grpc/grpc-js';
import { JsonStream } from './json-stream.ts';

/** Minimum time from the end of a JsonStream until the next one is opened, in milliseconds. */
const REOPEN_MS = 1_000;
/** Time that the core has to end a JsonStream after its client is closed, in milliseconds. */
const CLOSE_LIMIT_MS = 500;

/** A gRPC client for the JSON calls to one core, and the JsonStream over which it sends most of these calls. */
export class JsonClient {
  readonly client: Client;
  readonly #secret: string;
  readonly #now: () => number;
  #stream: JsonStream | undefined;
  #opensAt = Number.NEGATIVE_INFINITY;

  /** `secret`: secret of the core's internal port. `now`: a monotonic clock in milliseconds. */
  constructor(client: Client, secret: string, now = (): number => performance.now()) {
    this.client = client;
    this.#secret = secret;
    this.#now = now;
  }

  /** True if the client is connected to the core. */
  get isReady(): boolean {
    return this.client.getChannel().getConnectivityState(false) === connectivityState.READY;
  }

  /**
   * Returns the JsonStream to the core if it accepts calls. Otherwise returns undefined, and begins to open a stream for
   * later calls. The caller must then make a gRPC call. So a core of an older version, which does not know JsonStream,
   * still gets all calls.
   */
  openStream(): JsonStream | undefined {
    if (!this.#stream && this.#now() >= this.#opensAt) {
      this.#stream = new JsonStream(this.client, this.#secret, () => {
        this.#stream = undefined;
        // If the client is closed, `#opensAt` stays infinite.
        this.#opensAt = Math.max(this.#opensAt, this.#now() + REOPEN_MS);
      });
    }
    return this.#stream?.isOpen ? this.#stream : undefined;
  }

  /** Closes the connection to the core when the calls in progress have ended. */
  close(): void {
    const stream = this.#stream;
    this.#opensAt = Number.POSITIVE_INFINITY;
    if (stream) {
      stream.end();
      setTimeout(() => stream.cancel(), CLOSE_LIMIT_MS).unref();
    }
    this.client.close();
  }
}
