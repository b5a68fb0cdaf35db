import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { Cors } from '../../../gateway/http/cors.ts';
import type { Exchange, Reply, Response } from '../../../gateway/http/exchange.ts';
import { listenerOf } from '../../../gateway/http/listener.ts';
import { PausedConnections } from '../../../gateway/http/paused-connections.ts';
import { type HttpServer, listenHttp } from '../../../gateway/http-server.ts';
import { Metrics } from '../../../gateway/ops/metrics.ts';
import { overloaded } from '../../../gateway/upstream/core-errors.ts';
import { createLogger } from '../../../runtime/log.ts';

/** A timer whose ticks are triggered by the test. */
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

/** PausedConnections with a clock in milliseconds that the test sets. */
class TimedPauses extends PausedConnections {
  now = 0;
  override pauseConnection(exchange: Exchange, response: Response): number {
    return super.pauseConnection(exchange, response, this.now);
  }
}

/** A client connection to the server under test. */
class Connection {
  readonly socket: Socket;
  /** The Retry-After values of the answers that were read last, in seconds. */
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

  /** Waits for the next `count` answers. Returns the status and the request id of each. */
  async answers(count: number): Promise<string[]> {
    const pattern = /HTTP\/1\.1 (\d+)[\s\S]*?X-Request-Id: (\S+)/g;
    while ([...this.#text.matchAll(pattern)].length < count) await once(this.socket, 'data');
    const found = [...this.#text.matchAll(pattern)].map(([, status, id]) => `${status} ${id}`);
    this.retryAfters = [...this.#text.matchAll(/Retry-After: (\d+)/g)].map(([, seconds]) => Number(seconds));
    this.#text = '';
    return found;
  }
}

describe('PausedConnections', { timeout: 20_000 }, () => {
  let timer: ManualTimer;
  let paused: TimedPauses;
  let server: HttpServer;
  let received: string[];
  let busy: boolean;
  let resumedAll: number;
  let draining: boolean;
  const connections: Connection[] = [];

  beforeEach(() => start());

  async function start(maxSeconds?: number): Promise<void> {
    timer = new ManualTimer();
    resumedAll = 0;
    paused = new TimedPauses(maxSeconds, () => resumedAll++, timer.every);
    received = [];
    busy = true;
    draining = false;
    const listener = listenerOf(
      {
        name: 'fetch',
        method: undefined,
        wrongMethod: 'POST_1',
        preflights: false,
        acceptsPlain: () => false,
        answer({ id }): Promise<Reply> | Reply {
          received.push(id);
          if (busy) return Promise.reject(overloaded);
          return { status: 200, body: Buffer.from('{}') };
        },
      },
      {
        log: createLogger('gateway', 'silent'),
        metrics: new Metrics(),
        cors: new Cors([]),
        paused,
        draining: () => draining,
      },
    );
    server = await listenHttp({ host: '127.0.0.1', port: 0 }, listener);
  }
  afterEach(async () => {
    for (const { socket } of connections.splice(0)) socket.destroy();
    await server.close(1000);
  });

  function open(): Connection {
    const made = new Connection(server.endpoint.port);
    connections.push(made);
    return made;
  }

  const named = (id: string): string => `X-Request-Id: ${id}\r\n`;

  /** Advances the clock and the timer by some seconds. */
  function passSeconds(seconds: number): void {
    paused.now += seconds * 1000;
    timer.ticks(seconds * 10);
  }

  /** Sends a request. Expects a refusal with this Retry-After value. */
  async function expectRefusal(caller: Connection, id: string, seconds: number): Promise<void> {
    caller.send('/', named(id));
    assert.deepEqual(await caller.answers(1), [`503 ${id}`]);
    assert.deepEqual(caller.retryAfters, [seconds]);
  }

  /**
   * Sends three requests on another connection. Their answers prove that the server had time to read from every
   * connection that is not paused.
   */
  async function roundTrips(): Promise<void> {
    const other = open();
    for (let i = 0; i < 3; i++) {
      other.send('/', named('other'));
      await other.answers(1);
    }
    received = received.filter(id => id !== 'other');
  }

  test('reads from a connection again exactly one second after a request on it was refused', async () => {
    const caller = open();
    caller.send('/', named('one'));
    assert.deepEqual(await caller.answers(1), ['503 one']);
    busy = false;
    caller.send('/', named('two'));
    timer.ticks(9);
    await roundTrips();
    assert.deepEqual(received, ['one']);
    timer.ticks(1);
    assert.deepEqual(await caller.answers(1), ['200 two']);
    assert.equal(timer.tick, undefined, 'the timer runs only while a connection is paused');
  });

  test('pauses each connection for one second, counted from the refusal on this connection', async () => {
    const [first, second] = [open(), open()];
    first.send('/', named('a'));
    await first.answers(1);
    timer.ticks(5);
    second.send('/', named('b'));
    await second.answers(1);
    busy = false;
    first.send('/', named('c'));
    second.send('/', named('d'));
    timer.ticks(5);
    assert.deepEqual(await first.answers(1), ['200 c']);
    await roundTrips();
    assert.deepEqual(received, ['a', 'b', 'c']);
    timer.ticks(5);
    assert.deepEqual(await second.answers(1), ['200 d']);
  });

  test('calls onAllResumed once, when the last paused connection is resumed', async () => {
    const [first, second] = [open(), open()];
    await expectRefusal(first, 'a', 1);
    timer.ticks(5);
    await expectRefusal(second, 'b', 1);
    timer.ticks(9);
    assert.equal(resumedAll, 0);
    timer.ticks(1);
    assert.equal(resumedAll, 1);
  });

  test('answers all pipelined requests of a paused connection in their order', async () => {
    const piped = open();
    await once(piped.socket, 'connect');
    piped.socket.cork();
    for (const id of ['1', '2', '3']) piped.send('/', named(id));
    piped.socket.uncork();
    assert.deepEqual(await piped.answers(3), ['503 1', '503 2', '503 3']);
    assert.deepEqual(piped.retryAfters, [1, 1, 1]);
    busy = false;
    timer.ticks(10);
    assert.equal(timer.tick, undefined);
    piped.send('/', named('4'));
    assert.deepEqual(await piped.answers(1), ['200 4']);
  });

  test('can pause the same connection many times', async () => {
    const caller = open();
    for (let i = 0; i < 25; i++) {
      await expectRefusal(caller, `n${i}`, 1);
      passSeconds(1);
      // If the next refusal is at least a second after the pause, the pause is not doubled.
      paused.now += 1000;
    }
  });

  test('doubles the pause with each refusal that follows immediately after a pause, up to eight seconds', async () => {
    const caller = open();
    await expectRefusal(caller, 'n0', 1);
    for (const [i, [seconds, next]] of [
      [1, 2],
      [2, 4],
      [4, 8],
      [8, 8],
      [8, 8],
    ].entries()) {
      const id = `n${i + 1}`;
      caller.send('/', named(id));
      paused.now += (seconds ?? 0) * 1000;
      timer.ticks((seconds ?? 0) * 10 - 1);
      busy = false;
      await roundTrips();
      assert.equal(received.at(-1), `n${i}`, `${seconds} s have not passed`);
      busy = true;
      timer.ticks(1);
      assert.deepEqual(await caller.answers(1), [`503 ${id}`]);
      assert.deepEqual(caller.retryAfters, [next]);
    }
    passSeconds(8);
    assert.equal(timer.tick, undefined);
  });

  test('pauses a connection for at most maxSeconds, as for the connection of a proxy', async () => {
    await server.close(1000);
    await start(1);
    const caller = open();
    for (let i = 0; i < 4; i++) {
      await expectRefusal(caller, `n${i}`, 1);
      passSeconds(1);
    }
    busy = false;
    caller.send('/', named('last'));
    assert.deepEqual(await caller.answers(1), ['200 last']);
  });

  test('starts again with a pause of one second if no request on the connection was refused for a second after the pause', async () => {
    const caller = open();
    await expectRefusal(caller, 'a', 1);
    passSeconds(1);
    await expectRefusal(caller, 'b', 2);
    passSeconds(2);
    busy = false;
    caller.send('/', named('c'));
    assert.deepEqual(await caller.answers(1), ['200 c']);
    busy = true;
    paused.now += 999;
    await expectRefusal(caller, 'd', 4);
    passSeconds(4);
    busy = false;
    caller.send('/', named('e'));
    assert.deepEqual(await caller.answers(1), ['200 e']);
    busy = true;
    paused.now += 1000;
    await expectRefusal(caller, 'f', 1);
    passSeconds(1);
    await expectRefusal(caller, 'g', 2);
  });

  test('doubles the pause of one connection without changing the pause of another connection', async () => {
    const [first, second] = [open(), open()];
    await expectRefusal(first, 'a', 1);
    passSeconds(1);
    await expectRefusal(first, 'b', 2);
    await expectRefusal(second, 'c', 1);
    busy = false;
    first.send('/', named('d'));
    second.send('/', named('e'));
    passSeconds(1);
    assert.deepEqual(await second.answers(1), ['200 e']);
    await roundTrips();
    assert.deepEqual(received, ['a', 'b', 'c', 'e']);
    passSeconds(1);
    assert.deepEqual(await first.answers(1), ['200 d']);
  });

  test('stops its timer if the only paused connection is closed by the caller', async () => {
    const leaving = open();
    leaving.send('/', named('x'));
    await leaving.answers(1);
    leaving.socket.destroy();
    busy = false;
    await roundTrips();
    timer.ticks(10);
    assert.equal(timer.tick, undefined);
    // close() of the server waits for every open connection.
    for (const { socket } of connections.splice(0)) socket.destroy();
    await server.close(60_000);
  });

  test('does not prevent a closing server from closing a paused connection immediately', async () => {
    const idle = open();
    idle.send('/', named('x'));
    await idle.answers(1);
    const closed = once(idle.socket, 'close');
    await server.close(60_000);
    await closed;
  });

  test('does not pause a connection if the request contains Connection: close', async () => {
    const closing = open();
    closing.send('/', `${named('x')}Connection: close\r\n`);
    await once(closing.socket, 'close');
    assert.equal(timer.tick, undefined);
  });

  test('does not pause a connection while the gateway drains', async () => {
    draining = true;
    const late = open();
    late.send('/', named('x'));
    await once(late.socket, 'close');
    assert.equal(timer.tick, undefined);
  });
});
