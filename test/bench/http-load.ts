/** A load generator of HTTP/1.1, a process of its own: answers `HttpLoad` questions. */
import { connect, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { randomNumbers } from '../system/random-numbers.ts';
import { type Asking, requestsOf } from './requests.ts';
import { ResponseReader } from './response-reader.ts';
import { answerQuestions } from './worker.ts';

export interface HttpLoad {
  /** `host:port`. */
  address: string;
  asking: Asking;
  connections: number;
  /** How long requests are sent; ends earlier where there are no more to make. */
  seconds: number;
  /**
   * Requests due a second, whatever becomes of earlier ones (an open loop); each takes the connection that has been
   * free for longest. Without it every connection sends its next request on the answer (a closed loop).
   */
  rate?: number;
}

export interface HttpLoadResult {
  /** From the first request to the last one sent, or to the last answer where the requests ran out. */
  seconds: number;
  /** Answers by kind, until that time. */
  ok: number;
  /** 503 with Retry-After. */
  refused: number;
  /** Any other answer. */
  other: number;
  /** Status of the first of those. */
  otherStatus: number;
  /** Attempts to connect that failed. */
  notConnected: number;
  /** Connections that ended before their answer. */
  broken: number;
  /** Requests that were due while no connection was free. */
  unsent: number;
  /** Requests without an answer `GRACE_MS` after the last was sent. */
  unanswered: number;
  /** From when a request was due (the generator looks once a millisecond) to its 200, in milliseconds. */
  p50: number;
  p99: number;
  /** CPU of the generator in microseconds. */
  cpu: number;
}

/** Longer than the service lets a connection rest. */
const GRACE_MS = 10_000;
const CONNECTING_AT_ONCE = 100;
const RECONNECT_MS = 100;

/** All connections read into this one: what is in it is looked at before anything else is read. */
const received = Buffer.allocUnsafe(64 * 1024);

let seed = 1;

class Connection {
  reader = new ResponseReader();
  socket: Socket | undefined;
  connected = false;
  /** When the unanswered request was due; NaN where there is none. */
  dueAt = Number.NaN;
}

class Run {
  readonly #load: HttpLoad;
  readonly #next: () => string | undefined;
  readonly #host: string;
  readonly #port: number;
  readonly #connections: Connection[] = [];
  /** Free connections of an open loop, the longest free first from `#freeFrom` on. */
  #free: Connection[] = [];
  #freeFrom = 0;
  #counting = true;
  #sending = true;
  /** Whether a closed loop is under way. */
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

  /** Resolves when it is connected or has failed to. A connection that ends is made again as long as any is used. */
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

  /** A connection may send: at once in a closed loop, when something is due in an open one. */
  #ready(connection: Connection): void {
    if (this.#load.rate !== undefined) this.#free.push(connection);
    else if (this.#sending && this.#started) this.#drive(connection);
  }

  /** Nothing more is awaited on a connection. */
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
      // One that ended while it was free is in the list again once it is back.
      if (!connection.connected || !Number.isNaN(connection.dueAt)) continue;
      this.#send(connection, dueAt);
      return;
    }
    this.#count('unsent');
  }

  /** Resolves to how many are left unanswered when all are answered or the grace is over. */
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
