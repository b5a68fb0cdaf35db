import { connect, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { ResponseReader } from '../bench/response-reader.ts';
import { bootstrap } from './stack-settings.ts';

/** The result of one fetch request. Times are milliseconds of `performance.now`. */
export interface Answer {
  /** Time at which the fetch request was planned to be sent. */
  dueAt: number;
  /** Time at which the answer to the fetch request arrived, or the connection broke. */
  at: number;
  /** HTTP status of the answer to the fetch request. It is 0 if the connection broke. */
  status: number;
  retryAfter: boolean;
}

/**
 * Maximum number of open connections to the gateway. If this many connections wait for an answer, a due request is not
 * sent.
 */
const MAX_CONNECTIONS = 9_500;

/** An HTTP connection for fetch requests. It carries at most one request at a time. */
class Connection {
  readonly #socket: Socket;
  readonly #reader = new ResponseReader();
  #dueAt = 0;
  #busy = false;

  constructor(address: string, onAnswer: (connection: Connection, answer: Answer) => void) {
    const [host = '', port = ''] = address.split(':');
    this.#socket = connect({ host, port: Number(port), noDelay: true });
    const settle = (status: number, retryAfter: boolean): void => {
      if (!this.#busy) return;
      this.#busy = false;
      onAnswer(this, { dueAt: this.#dueAt, at: performance.now(), status, retryAfter });
    };
    this.#socket.on('data', bytes => {
      if (this.#reader.push(bytes)) settle(this.#reader.status, this.#reader.retryAfter);
    });
    this.#socket.on('error', () => {});
    this.#socket.on('close', () => settle(0, false));
  }

  get usable(): boolean {
    return !this.#socket.destroyed && this.#socket.writable;
  }

  send(request: string, dueAt: number): void {
    this.#busy = true;
    this.#dueAt = dueAt;
    this.#socket.write(request, 'latin1');
  }

  close(): void {
    this.#socket.destroy();
  }
}

/**
 * Fetches the same servers at a fixed rate, and records every answer. If all connections are busy, opens a new one, up
 * to a maximum.
 */
export class FetchLoad {
  readonly answers: Answer[] = [];
  /** Number of due fetch requests that were never sent, because all allowed connections were waiting for an answer. */
  unsent = 0;
  readonly #address: string;
  readonly #request: string;
  readonly #free: Connection[] = [];
  readonly #all = new Set<Connection>();
  #unanswered = 0;
  #sending = true;
  readonly #done: Promise<void>;

  constructor(address: string, rate: number, gameId: string, servers: readonly string[]) {
    this.#address = address;
    const body = JSON.stringify({ servers: [{ game_id: gameId, servers }] });
    this.#request = [
      'POST /v1/post/fetch HTTP/1.1',
      'Host: test',
      'Content-Type: application/json',
      `X-API-Token: ${bootstrap.token}`,
      `X-API-Token-Type: ${bootstrap.tier}`,
      `X-API-Token-Email: ${bootstrap.email}`,
      `Content-Length: ${Buffer.byteLength(body)}`,
      '',
      body,
    ].join('\r\n');
    this.#done = this.#run(rate);
  }

  /** Stops sending fetch requests. Resolves when every sent request has an answer. */
  async stop(): Promise<void> {
    this.#sending = false;
    await this.#done;
    while (this.#unanswered > 0) await delay(10);
    for (const connection of this.#all) connection.close();
  }

  async #run(rate: number): Promise<void> {
    const startedAt = performance.now();
    for (let due = 0; this.#sending; await delay(2)) {
      for (const now = performance.now(); due < ((now - startedAt) * rate) / 1000; due++) {
        this.#send(startedAt + (due * 1000) / rate);
      }
    }
  }

  #send(dueAt: number): void {
    let connection = this.#free.pop();
    while (connection && !connection.usable) connection = this.#free.pop();
    if (!connection) {
      if (this.#unanswered >= MAX_CONNECTIONS) {
        this.unsent++;
        return;
      }
      connection = new Connection(this.#address, (from, answer) => {
        this.answers.push(answer);
        this.#unanswered--;
        if (from.usable) this.#free.push(from);
      });
      this.#all.add(connection);
    }
    this.#unanswered++;
    connection.send(this.#request, dueAt);
  }
}

/** Summary of the answers to the fetch requests that one `FetchLoad` of a test sent. */
export interface LoadReport {
  requests: number;
  /** Number of answers for each HTTP status. Status 0 stands for a broken connection. */
  statuses: Record<number, number>;
  /** Longest time between the planned send time of a fetch request and its answer, in milliseconds. */
  slowestMs: number;
  /** Time during which fetches were refused, in milliseconds. Each interval of 10 ms with a 503 answer counts 10 ms. */
  refusedMs: number;
}

const INTERVAL_MS = 10;

export function reportOf(answers: readonly Answer[]): LoadReport {
  const statuses: Record<number, number> = {};
  const refused = new Set<number>();
  let slowestMs = 0;
  for (const { dueAt, at, status } of answers) {
    statuses[status] = (statuses[status] ?? 0) + 1;
    if (status === 503) refused.add(Math.floor(at / INTERVAL_MS));
    slowestMs = Math.max(slowestMs, at - dueAt);
  }
  return {
    requests: answers.length,
    statuses,
    slowestMs: Math.round(slowestMs),
    refusedMs: refused.size * INTERVAL_MS,
  };
}
