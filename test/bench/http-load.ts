/**
 * An HTTP/1.1 load generator that runs in a process of its own. The parent process sends it an `HttpLoad` and receives
 * an `HttpLoadResult`.
 */
import { connect, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { randomNumbers } from '../system/random-numbers.ts';
import { type LoadRequests, requestsOf } from './requests.ts';
import { ResponseReader } from './response-reader.ts';
import { answerQuestions } from './worker.ts';

export interface HttpLoad {
  /** `host:port` of the HTTP server. */
  address: string;
  requests: LoadRequests;
  connections: number;
  /** How long the load generator sends requests, in seconds. It stops earlier if all requests have been sent. */
  seconds: number;
  /**
   * Requests per second of an open loop, which does not wait for responses. If undefined, each connection waits for a
   * response before its next request (closed loop).
   */
  rate?: number;
}

export interface HttpLoadResult {
  /**
   * Time during which the generator sent requests, in seconds: from the start of the load until it stopped. If it
   * stopped because it had sent all requests, the time also includes the wait for the last response.
   */
  seconds: number;
  /** Number of responses with status 200 that arrived during the load, within `seconds`. */
  ok: number;
  /** Number of responses with status 503 and a Retry-After header. */
  refused: number;
  /**
   * Number of responses with an unexpected status. The expected statuses are 200, and 503 with a Retry-After header.
   */
  other: number;
  /** HTTP status of the first response that was neither 200 nor 503 with a Retry-After header. 0 if there is none. */
  otherStatus: number;
  /** Number of failed connection attempts. */
  notConnected: number;
  /** Number of connections that closed before the response to their request arrived. */
  broken: number;
  /** Number of requests that were not sent, because no connection was free when they were due. */
  unsent: number;
  /**
   * Number of requests that got no response in time. The generator stops waiting `GRACE_MS` milliseconds after its last
   * request.
   */
  unanswered: number;
  /**
   * Median latency of responses with status 200, in milliseconds, measured from the sending of the request. NaN for a
   * closed loop, which does not measure latencies.
   */
  p50: number;
  p99: number;
  /** CPU time of the load generator, in microseconds. */
  cpu: number;
}

/** Longest time that the generator waits for the last responses, in milliseconds. */
const GRACE_MS = 10_000;
const CONNECTING_AT_ONCE = 100;
const RECONNECT_MS = 100;

/**
 * One receive buffer for all connections. Sharing is safe, because the data of one read is parsed completely before the
 * next read.
 */
const received = Buffer.allocUnsafe(64 * 1024);

let seed = 1;

class Connection {
  reader = new ResponseReader();
  socket: Socket | undefined;
  connected = false;
  /**
   * Time at which the pending request of this connection was sent, as performance.now() in ms. NaN if no request is
   * pending.
   */
  dueAt = Number.NaN;
}

class Run {
  readonly #load: HttpLoad;
  readonly #next: () => string | undefined;
  readonly #host: string;
  readonly #port: number;
  readonly #connections: Connection[] = [];
  /**
   * Queue of idle connections, the longest idle first. The queue begins at the index `#freeFrom`. It is used only if
   * requests are sent at a fixed rate.
   */
  #free: Connection[] = [];
  #freeFrom = 0;
  #counting = true;
  #sending = true;
  /**
   * True after a closed-loop load (no fixed request rate) has started. Before that, a connection that opens must not
   * send a request.
   */
  #started = false;
  #unanswered = 0;
  #idle: () => void = () => {};
  readonly #latencies: number[] = [];
  readonly #counts = { ok: 0, refused: 0, other: 0, otherStatus: 0, notConnected: 0, broken: 0, unsent: 0 };

  constructor(load: HttpLoad) {
    this.#load = load;
    this.#next = requestsOf(load.requests, randomNumbers(seed++));
    const [host = '', port = ''] = load.address.split(':');
    this.#host = host;
    this.#port = Number(port);
  }

  async result(): Promise<HttpLoadResult> {
    const { connections, seconds, rate } = this.#load;
    for (let left = connections; left > 0; left -= CONNECTING_AT_ONCE) {
      const some = Array.from({ length: Math.min(left, CONNECTING_AT_ONCE) }, () => new Connection());
      this.#connections.push(...some);
      await Promise.all(some.map(connection => this.#connect(connection)));
    }
    const cpuBefore = process.cpuUsage();
    const startedAt = performance.now();
    if (rate === undefined) await this.#closedLoop(startedAt + seconds * 1000);
    else await this.#openLoop(rate, startedAt, startedAt + seconds * 1000);
    const took = performance.now() - startedAt;
    const cpu = process.cpuUsage(cpuBefore);
    this.#counting = false;
    const unanswered = await this.#settle();
    for (const { socket } of this.#connections) socket?.destroy();
    const sorted = Float64Array.from(this.#latencies).sort();
    return {
      ...this.#counts,
      seconds: took / 1000,
      unanswered,
      p50: sorted[Math.floor(sorted.length * 0.5)] ?? Number.NaN,
      p99: sorted[Math.floor(sorted.length * 0.99)] ?? Number.NaN,
      cpu: cpu.user + cpu.system,
    };
  }

  /**
   * Opens a connection. Resolves when the connection is open or has failed. While the load generator sends requests, a
   * connection that closes is opened again.
   */
  #connect(connection: Connection): Promise<void> {
    return new Promise(resolve => {
      const socket = connect({
        host: this.#host,
        port: this.#port,
        noDelay: true,
        onread: {
          buffer: received,
          callback: (length, buffer) => {
            this.#received(connection, buffer as Buffer, length);
            return true;
          },
        },
      });
      connection.socket = socket;
      connection.reader = new ResponseReader();
      socket.on('connect', () => {
        connection.connected = true;
        this.#ready(connection);
        resolve();
      });
      socket.on('error', () => {});
      socket.on('close', () => {
        if (!connection.connected) this.#count('notConnected');
        else if (!Number.isNaN(connection.dueAt)) this.#count('broken');
        connection.connected = false;
        this.#answered(connection);
        resolve();
        if (this.#sending) setTimeout(() => this.#sending && this.#connect(connection), RECONNECT_MS);
      });
    });
  }

  #count(what: 'ok' | 'refused' | 'other' | 'notConnected' | 'broken' | 'unsent'): void {
    if (this.#counting) this.#counts[what]++;
  }

  /**
   * Handles a connection that became idle. With a fixed request rate, keeps the connection until the next request is
   * due. Without a fixed rate, sends the next request on it immediately.
   */
  #ready(connection: Connection): void {
    if (this.#load.rate !== undefined) this.#free.push(connection);
    else if (this.#sending && this.#started) this.#drive(connection);
  }

  /**
   * Marks the request of a connection as no longer pending. Called when its response arrives or the connection closes.
   */
  #answered(connection: Connection): void {
    if (Number.isNaN(connection.dueAt)) return;
    connection.dueAt = Number.NaN;
    this.#unanswered--;
    if (this.#unanswered === 0) this.#idle();
  }

  #send(connection: Connection, dueAt: number): boolean {
    const request = this.#next();
    if (request === undefined) return false;
    connection.dueAt = dueAt;
    this.#unanswered++;
    connection.socket?.write(request, 'latin1');
    return true;
  }

  #received(connection: Connection, buffer: Buffer, length: number): void {
    const { reader } = connection;
    try {
      if (!reader.push(buffer.subarray(0, length))) return;
    } catch (error) {
      connection.socket?.destroy(error as Error);
      return;
    }
    if (reader.status === 200) {
      this.#count('ok');
      if (this.#counting && this.#load.rate !== undefined) {
        this.#latencies.push(performance.now() - connection.dueAt);
      }
    } else if (reader.status === 503 && reader.retryAfter) {
      this.#count('refused');
    } else {
      this.#count('other');
      this.#counts.otherStatus ||= reader.status;
    }
    this.#answered(connection);
    this.#ready(connection);
  }

  #drive(connection: Connection): void {
    if (!this.#send(connection, performance.now())) this.#sending = false;
  }

  async #closedLoop(endsAt: number): Promise<void> {
    this.#started = true;
    for (const connection of this.#connections) if (connection.connected) this.#drive(connection);
    while (this.#sending && performance.now() < endsAt) {
      await delay(Math.max(1, Math.min(endsAt - performance.now(), 20)));
    }
    const ranOut = !this.#sending;
    this.#sending = false;
    if (ranOut) await this.#settle();
  }

  async #openLoop(rate: number, startedAt: number, endsAt: number): Promise<void> {
    const betweenMs = 1000 / rate;
    let nextAt = startedAt;
    for (let now = startedAt; now < endsAt; now = performance.now()) {
      for (; nextAt <= now; nextAt += betweenMs) this.#sendOnFree(now);
      // Sleeps until the next request is due: waking up more often would take CPU time from the measured service.
      await delay(Math.max(1, Math.min(nextAt, endsAt) - performance.now()));
    }
    this.#sending = false;
  }

  #sendOnFree(dueAt: number): void {
    for (;;) {
      const connection = this.#free[this.#freeFrom];
      if (!connection) break;
      this.#freeFrom++;
      if (this.#freeFrom === 4096) {
        this.#free = this.#free.slice(4096);
        this.#freeFrom = 0;
      }
      // Skips a connection that is closed or busy. The queue can contain such connections: a connection stays in the
      // queue when it closes, and it is added a second time when it reopens.
      if (!connection.connected || !Number.isNaN(connection.dueAt)) continue;
      this.#send(connection, dueAt);
      return;
    }
    this.#count('unsent');
  }

  /**
   * Waits for the last responses, but at most `GRACE_MS` milliseconds. Resolves to the number of requests that are
   * still unanswered.
   */
  async #settle(): Promise<number> {
    if (this.#unanswered > 0) {
      const over = new AbortController();
      const idle = new Promise<void>(resolve => {
        this.#idle = resolve;
      });
      await Promise.race([idle, delay(GRACE_MS, undefined, { signal: over.signal }).catch(() => {})]);
      over.abort();
    }
    return this.#unanswered;
  }
}

answerQuestions((load: HttpLoad): Promise<HttpLoadResult> => new Run(load).result());
