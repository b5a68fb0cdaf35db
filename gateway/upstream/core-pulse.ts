import { type Client, Metadata, status } from '@grpc/grpc-js';

/**
 * Interval of the health checks, ms. The gateway must notice a silent core before load shedding begins. The gateway
 * notices it after at most three intervals (225 ms). At 1000 requests per second, load shedding begins after 256 ms.
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
   * Called when the core answers a health check. Also called once per `INTERVAL_MS` while replies of the core to calls
   * arrive.
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
  /** True if the core has replied to a call since the timer last called `#beat`. */
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
   * Sends a health check (grpc.health.v1) on the connection that also carries the calls. A late reply to a call does
   * not prove that the core failed. The core can be waiting for a slow name server (DNS).
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
