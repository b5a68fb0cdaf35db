/** An HTTP/1.1 load generator in a process of its own. It answers `HttpLoad` questions. */
import { connect, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { randomNumbers } from '../system/random-numbers.ts';
import { type Asking, requestsOf } from './requests.ts';
import { ResponseReader } from './response-reader.ts';
import { answerQuestions } from './worker.ts';

export interface HttpLoad {
  /** `host:port` of the HTTP server. */
  address: string;
  asking: Asking;
  connections: number;
  /** Duration of the load; shorter if there are no more requests to send. */
  seconds: number;
  /**
   * Requests a second of an open loop, sent whether or not earlier ones are answered; each uses the
   * connection that has been idle longest. If undefined, the load is a closed loop: every connection sends
   * its next request after each response.
   */
  rate?: number;
}

export interface HttpLoadResult {
  /**
   * Seconds from the first request to the last one sent. If the requests ran out, seconds to the last
   * response.
   */
  seconds: number;
  /** Number of responses with status 200 within `seconds`. */
  ok: number;
  /** Number of responses with status 503 and a Retry-After header. */
  refused: number;
  /** Number of other responses. */
  other: number;
  /** Status of the first response that is neither 200 nor a refusal. */
  otherStatus: number;
  /** Number of failed connection attempts. */
  notConnected: number;
  /** Number of connections that closed before their response. */
  broken: number;
  /** Number of requests that were due while every connection was busy. */
  unsent: number;
  /** Number of requests without a response `GRACE_MS` after the last request was sent. */
  unanswered: number;
  /**
   * Median latency of responses with status 200, in milliseconds, from the time a request was due. The
   * generator checks once a millisecond.
   */
  p50: number;
  p99: number;
  /** CPU time of the load generator, in microseconds. */
  cpu: number;
}

/**
 * How long the generator waits for the last responses, in milliseconds: longer than the service's keepalive
 * timeout.
 */
const GRACE_MS = 10_000;
const CONNECTING_AT_ONCE = 100;
const RECONNECT_MS = 100;

/** One receive buffer for all connections: each read is parsed completely before the next one. */
const received = Buffer.allocUnsafe(64 * 1024);

let seed = 1;

class Connection {
  reader = new ResponseReader();
  socket: Socket | undefined;
  connected = false;
  /** Time at which the unanswered request was due; NaN if no request is unanswered. */
  dueAt = Number.NaN;
}

class Run {
  readonly #load: HttpLoad;
  readonly #next: () => string | undefined;
  readonly #host: string;
  readonly #port: number;
  readonly #connections: Connection[] = [];
  /** Idle connections of an open loop. The one at index `#freeFrom` has been idle longest. */
  #free: Connection[] = [];
  #freeFrom = 0;
  #counting = true;
  #sending = true;
  /** True while a closed loop runs. */
  #started = false;
  #unanswered = 0;
  #idle: () => void = () => {};
  readonly #latencies: number[] = [];
  readonly #counts = { ok: 0, refused: 0, other: 0, otherStatus: 0, notConnected: 0, broken: 0, unsent: 0 };

  constructor(load: HttpLoad) {
    this.#load = load;
    this.#next = requestsOf(load.asking, randomNumbers(seed++));
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
   * Opens a connection. Resolves when the connection is open or has failed. A closed connection is reopened
   * while the load runs.
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
   * Uses an idle connection: a closed loop sends at once, an open loop sends when the next request is due.
   */
  #ready(connection: Connection): void {
    if (this.#load.rate !== undefined) this.#free.push(connection);
    else if (this.#sending && this.#started) this.#drive(connection);
  }

  /** Marks a connection as idle after its response. */
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
    let due = 0;
    for (let now = startedAt; now < endsAt; now = performance.now()) {
      for (const until = ((now - startedAt) * rate) / 1000; due < until; due++) this.#sendOnFree(now);
      await delay(1);
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
      // A connection that closed while idle appears in the list a second time after its reconnect; skip the
      // stale entry.
      if (!connection.connected || !Number.isNaN(connection.dueAt)) continue;
      this.#send(connection, dueAt);
      return;
    }
    this.#count('unsent');
  }

  /**
   * Waits for the last responses. Resolves to the number of requests still unanswered after the grace period.
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
