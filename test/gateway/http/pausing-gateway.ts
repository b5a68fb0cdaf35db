import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterEach, beforeEach } from 'node:test';
import { AnswerLog } from '../../../gateway/http/answer-log.ts';
import { Cors } from '../../../gateway/http/cors.ts';
import type { Exchange, Reply, Response } from '../../../gateway/http/exchange.ts';
import { listenerOf } from '../../../gateway/http/listener.ts';
import { PausedConnections } from '../../../gateway/http/paused-connections.ts';
import { type HttpServer, listenHttp } from '../../../gateway/http-server.ts';
import { Metrics } from '../../../gateway/ops/metrics.ts';
import { overloaded } from '../../../gateway/upstream/core-errors.ts';
import { limitKeyOf } from '../../../net/network.ts';
import { AccessLog } from '../../../runtime/access-log.ts';
import { createLogger } from '../../../runtime/log.ts';

/** A timer that the test advances instead of the clock. Each call of `tick` stands for 100 ms. */
class ManualTimer {
  tick: (() => void) | undefined;
  readonly every = (_ms: number, tick: () => void): (() => void) => {
    assert.equal(this.tick, undefined, 'one timer serves all connections');
    this.tick = tick;
    return () => {
      this.tick = undefined;
    };
  };

  ticks(count: number): void {
    for (let i = 0; i < count; i++) this.tick?.();
  }
}

/** PausedConnections with a clock that the test sets, in milliseconds. */
class TimedPauses extends PausedConnections {
  now = 0;
  override pauseConnection(exchange: Exchange, response: Response): number {
    return super.pauseConnection(exchange, response, this.now);
  }
}

/** A client connection to the server under test. */
class Connection {
  readonly socket: Socket;
  /** Retry-After values of the answers that the last call of `answers` returned, in seconds. */
  retryAfters: number[] = [];
  #text = '';

  constructor(port: number) {
    this.socket = connect(port, '127.0.0.1');
    this.socket.setEncoding('latin1');
    this.socket.on('data', (text: string) => {
      this.#text += text;
    });
  }

  send(path: string, headers = ''): void {
    this.socket.write(`GET ${path} HTTP/1.1\r\nHost: x\r\nAccept-Encoding: identity\r\n${headers}\r\n`);
  }

  /** Waits for `count` answers of the gateway. Returns a text for each answer: HTTP status, space, request id. */
  async answers(count: number): Promise<string[]> {
    const pattern = /HTTP\/1\.1 (\d+)[\s\S]*?X-Request-Id: (\S+)/g;
    while ([...this.#text.matchAll(pattern)].length < count) await once(this.socket, 'data');
    const found = [...this.#text.matchAll(pattern)].map(([, status, id]) => `${status} ${id}`);
    this.retryAfters = [...this.#text.matchAll(/Retry-After: (\d+)/g)].map(([, seconds]) => Number(seconds));
    this.#text = '';
    return found;
  }
}

/**
 * A gateway with one endpoint. While `busy` is true, the endpoint refuses all requests, and the gateway pauses their
 * connections.
 */
interface PausingGateway {
  timer: ManualTimer;
  paused: TimedPauses;
  server: HttpServer;
  /** The ids of the requests that the endpoint of the gateway has received. */
  received: string[];
  /** If true, the endpoint refuses every request with the error `overloaded`. */
  busy: boolean;
  /** Number of times that the gateway has reported that no connection is paused any more. */
  resumedAll: number;
  draining: boolean;
}

/** Returns the HTTP header line that sets the request id. */
export const named = (id: string): string => `X-Request-Id: ${id}\r\n`;

/**
 * Starts a new gateway before each test of a `describe` group, and stops it afterwards. At first, the gateway refuses
 * all requests (`gateway.busy`).
 */
export function withPausingGateway() {
  const gateway = {} as PausingGateway;
  const connections: Connection[] = [];

  beforeEach(() => start());
  afterEach(async () => {
    for (const { socket } of connections.splice(0)) socket.destroy();
    await gateway.server.close(1000);
  });

  /**
   * Starts a gateway, which replaces the previous one. `maxSeconds`: maximum length of the pause after a refused
   * request.
   */
  async function start(maxSeconds?: number): Promise<void> {
    const timer = new ManualTimer();
    const paused = new TimedPauses(maxSeconds, () => gateway.resumedAll++, timer.every);
    const listener = listenerOf(
      {
        name: 'fetch',
        method: undefined,
        wrongMethod: 'POST_1',
        preflights: false,
        acceptsPlain: () => false,
        answer({ id }): Promise<Reply> | Reply {
          gateway.received.push(id);
          if (gateway.busy) return Promise.reject(overloaded);
          return { status: 200, body: Buffer.from('{}') };
        },
      },
      {
        log: createLogger('gateway', 'silent'),
        answers: new AnswerLog(new AccessLog(createLogger('gateway', 'silent'), 0, limitKeyOf), 0),
        metrics: new Metrics(),
        cors: new Cors([]),
        paused,
        draining: () => gateway.draining,
      },
    );
    const server = await listenHttp({ host: '127.0.0.1', port: 0 }, listener);
    Object.assign(gateway, {
      timer,
      paused,
      server,
      received: [],
      busy: true,
      resumedAll: 0,
      draining: false,
    } satisfies PausingGateway);
  }

  function open(): Connection {
    const made = new Connection(gateway.server.endpoint.port);
    connections.push(made);
    return made;
  }

  /** Advances the test clock and the timer of the gateway by some seconds. */
  function passSeconds(seconds: number): void {
    gateway.paused.now += seconds * 1000;
    gateway.timer.ticks(seconds * 10);
  }

  /** Sends a request. Fails if the answer is not a refusal with this Retry-After value. */
  async function expectRefusal(caller: Connection, id: string, seconds: number): Promise<void> {
    caller.send('/', named(id));
    assert.deepEqual(await caller.answers(1), [`503 ${id}`]);
    assert.deepEqual(caller.retryAfters, [seconds]);
  }

  /**
   * Gives the gateway time to read from all connections that are not paused. For this purpose, sends three requests on
   * a new connection, and waits for the answer to each of them.
   */
  async function roundTrips(): Promise<void> {
    const other = open();
    for (let i = 0; i < 3; i++) {
      other.send('/', named('other'));
      await other.answers(1);
    }
    gateway.received = gateway.received.filter(id => id !== 'other');
  }

  return { gateway, connections, start, open, passSeconds, expectRefusal, roundTrips };
}
