import { type Client, Metadata, status } from '@grpc/grpc-js';

/**
 * Interval of the health checks, ms. With this interval, the gateway notices a silent core after at most 225 ms (three
 * intervals). The gateway must notice the silence before load shedding begins, because load shedding refuses calls. At
 * 1000 requests per second, load shedding begins 256 ms after the core became silent.
 */
const INTERVAL_MS = 75;
const CHECK_PATH = '/grpc.health.v1.Health/Check';
/** An empty HealthCheckRequest. It asks whether the whole gRPC server of the core is healthy. */
const CHECK_REQUEST = Buffer.alloc(0);
const identity = (message: Buffer): Buffer => message;

/**
 * Functions that `CorePulse` (the health checks of a core) calls. The connection to the core (`CoreLink`) implements
 * them.
 */
interface PulseOwner {
  /** Returns true while health checks of the core are needed. */
  needsPulse(): boolean;
  /**
   * Called when the core has not answered a health check, and no reply to a call has arrived for `INTERVAL_MS`. Called
   * again after each further `INTERVAL_MS` of this silence.
   */
  onSilent(): void;
  /**
   * Called when the core shows that it responds: it has answered a health check, or it has replied to at least one call
   * during the last `INTERVAL_MS`.
   */
  onAlive(): void;
}

/**
 * Finds out whether the core still responds while calls wait for replies. The core counts as silent if it neither
 * replies to a call nor answers a health check for `INTERVAL_MS`. An overloaded core is not silent, because it still
 * replies.
 */
export class CorePulse {
  readonly #client: Client;
  readonly #owner: PulseOwner;
  #timer: NodeJS.Timeout | undefined;
  /** True while the core has not answered the last health check. */
  #isChecking = false;
  /**
   * True if the core has replied to a call since the last call of `#beat`. The timer calls `#beat` every INTERVAL_MS.
   */
  #hasReplied = false;
  /** True from a call of `requestCheck` until the requested health check of the core ends. */
  #isRequested = false;

  constructor(client: Client, owner: PulseOwner) {
    this.#client = client;
    this.#owner = owner;
  }

  /**
   * Starts the health checks of the core, if they do not run yet. The health checks end when `needsPulse` returns
   * false.
   */
  start(): void {
    this.#timer ??= setInterval(this.#beat, INTERVAL_MS).unref();
  }

  /** Sends a health check to the core soon, even if no call waits for its reply. */
  requestCheck(): void {
    this.#isRequested = true;
    this.start();
  }

  /** Must be called when the core has replied to a call, because this shows that the core responds. */
  noteReply(): void {
    this.#hasReplied = true;
  }

  readonly #beat = (): void => {
    if (this.#hasReplied) {
      this.#hasReplied = false;
      this.#owner.onAlive();
    } else if (this.#isChecking) this.#owner.onSilent();
    else if (this.#isRequested || this.#owner.needsPulse()) this.#check();
    else {
      clearInterval(this.#timer);
      this.#timer = undefined;
    }
  };

  /**
   * Sends a health check (grpc.health.v1) to learn whether the core still responds. The check uses the connection that
   * also carries the calls. A missing reply to a call does not prove that the core is silent: a healthy core can also
   * reply late, for example while it waits for a slow name server (DNS).
   */
  #check(): void {
    this.#isChecking = true;
    this.#client.makeUnaryRequest(CHECK_PATH, identity, identity, CHECK_REQUEST, new Metadata(), error => {
      this.#isChecking = false;
      this.#isRequested = false;
      // Any status of the health check except UNAVAILABLE shows that the core responds. UNAVAILABLE means a broken
      // connection.
      if (error?.code !== status.UNAVAILABLE) this.#owner.onAlive();
    });
  }
}
