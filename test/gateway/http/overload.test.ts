import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { connect, type Socket } from 'node:net';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { Cors } from '../../../gateway/http/cors.ts';
import { errorReply } from '../../../gateway/http/error-reply.ts';
import type { Exchange, Reply } from '../../../gateway/http/exchange.ts';
import { listenerOf } from '../../../gateway/http/listener.ts';
import { overloaded, overloadReply, RestingConnections } from '../../../gateway/http/overload.ts';
import { type HttpServer, listenHttp } from '../../../gateway/http-server.ts';
import { Metrics } from '../../../gateway/ops/metrics.ts';
import { ServiceError } from '../../../proto/service-error.ts';
import { createLogger } from '../../../runtime/log.ts';

describe('a refusal', () => {
  for (const [id, retryAfterSeconds] of [
    ['a', 1],
    ['x'.repeat(64), 2],
    ['4f1c-._9', 8],
  ] as const) {
    test(`says what every error says, for the request ${id}`, async () => {
      const { gzipped, logged, ...reply } = overloadReply(id, retryAfterSeconds);
      const { code, message } = overloaded;
      assert.deepEqual(reply, errorReply(new ServiceError(code, message, { retryAfterSeconds }), id));
      assert.deepEqual(gunzipSync((await gzipped?.()) ?? ''), reply.body);
      assert.equal(logged, true);
    });
  }
});

/** A timer that ticks when it is told to. */
class HandTimer {
  tick: (() => void) | undefined;
  readonly every = (_ms: number, tick: () => void): (() => void) => {
    assert.equal(this.tick, undefined, 'one timer for all');
    this.tick = tick;
    return () => {
      this.tick = undefined;
    };
  };

  ticks(count: number): void {
    for (let i = 0; i < count; i++) this.tick?.();
  }
}

/** Rests at a time that a test tells, in milliseconds. */
class TimedRests extends RestingConnections {
  now = 0;
  override rest(exchange: Exchange, response: ServerResponse): number {
    return super.rest(exchange, response, this.now);
  }
}

/** A connection of a caller, and the answers that come over it. */
class Line {
  readonly socket: Socket;
  /** Seconds that the answers read last told it to wait. */
  waits: number[] = [];
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

  /** The next `count` answers: statuses with the paths that were asked for. */
  async answers(count: number): Promise<string[]> {
    const pattern = /HTTP\/1\.1 (\d+)[\s\S]*?X-Request-Id: (\S+)/g;
    while ([...this.#text.matchAll(pattern)].length < count) await once(this.socket, 'data');
    const found = [...this.#text.matchAll(pattern)].map(([, status, id]) => `${status} ${id}`);
    this.waits = [...this.#text.matchAll(/Retry-After: (\d+)/g)].map(([, seconds]) => Number(seconds));
    this.#text = '';
    return found;
  }
}

describe('a connection whose fetch was refused for too much in progress', { timeout: 20_000 }, () => {
  let timer: HandTimer;
  let resting: TimedRests;
  let server: HttpServer;
  let asked: string[];
  let busy: boolean;
  let over: number;
  let draining: boolean;
  const lines: Line[] = [];

  beforeEach(() => start());

  async function start(maxSeconds?: number): Promise<void> {
    timer = new HandTimer();
    over = 0;
    resting = new TimedRests(maxSeconds, () => over++, timer.every);
    asked = [];
    busy = true;
    draining = false;
    const listener = listenerOf(
      {
        name: 'fetch',
        method: undefined,
        wrongMethod: 'POST_1',
        preflights: false,
        takesPlain: () => false,
        answer({ id }): Promise<Reply> | Reply {
          asked.push(id);
          if (busy) return Promise.reject(overloaded);
          return { status: 200, body: Buffer.from('{}') };
        },
      },
      {
        log: createLogger('gateway', 'silent'),
        metrics: new Metrics(),
        cors: new Cors([]),
        resting,
        draining: () => draining,
      },
    );
    server = await listenHttp({ host: '127.0.0.1', port: 0 }, listener);
  }
  afterEach(async () => {
    for (const { socket } of lines.splice(0)) socket.destroy();
    await server.close(1000);
  });

  function line(): Line {
    const made = new Line(server.endpoint.port);
    lines.push(made);
    return made;
  }

  const named = (id: string): string => `X-Request-Id: ${id}\r\n`;

  /** Lets so many seconds pass. */
  function pass(seconds: number): void {
    resting.now += seconds * 1000;
    timer.ticks(seconds * 10);
  }

  /** Sends a request that is refused, and expects to be told to wait for so long. */
  async function refused(eager: Line, id: string, seconds: number): Promise<void> {
    eager.send('/', named(id));
    assert.deepEqual(await eager.answers(1), [`503 ${id}`]);
    assert.deepEqual(eager.waits, [seconds]);
  }

  /** Long enough for whatever the server would read of another connection that was written to before. */
  async function roundTrips(): Promise<void> {
    const other = line();
    for (let i = 0; i < 3; i++) {
      other.send('/', named('other'));
      await other.answers(1);
    }
    asked = asked.filter(id => id !== 'other');
  }

  test('is read again after a second, not before', async () => {
    const eager = line();
    eager.send('/', named('one'));
    assert.deepEqual(await eager.answers(1), ['503 one']);
    busy = false;
    eager.send('/', named('two'));
    timer.ticks(9);
    await roundTrips();
    assert.deepEqual(asked, ['one']);
    timer.ticks(1);
    assert.deepEqual(await eager.answers(1), ['200 two']);
    assert.equal(timer.tick, undefined, 'the timer runs only while a connection rests');
  });

  test('does not keep others waiting, each of which rests a second from its own refusal', async () => {
    const [first, second] = [line(), line()];
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
    assert.deepEqual(asked, ['a', 'b', 'c']);
    timer.ticks(5);
    assert.deepEqual(await second.answers(1), ['200 d']);
  });

  test('is the last of them: told once', async () => {
    const [first, second] = [line(), line()];
    await refused(first, 'a', 1);
    timer.ticks(5);
    await refused(second, 'b', 1);
    timer.ticks(9);
    assert.equal(over, 0);
    timer.ticks(1);
    assert.equal(over, 1);
  });

  test('gets an answer to each request it sent at once, in order', async () => {
    const piped = line();
    await once(piped.socket, 'connect');
    piped.socket.cork();
    for (const id of ['1', '2', '3']) piped.send('/', named(id));
    piped.socket.uncork();
    assert.deepEqual(await piped.answers(3), ['503 1', '503 2', '503 3']);
    assert.deepEqual(piped.waits, [1, 1, 1]);
    busy = false;
    timer.ticks(10);
    assert.equal(timer.tick, undefined);
    piped.send('/', named('4'));
    assert.deepEqual(await piped.answers(1), ['200 4']);
  });

  test('may rest again and again', async () => {
    const eager = line();
    for (let i = 0; i < 25; i++) {
      await refused(eager, `n${i}`, 1);
      pass(1);
      // Longer than until it would rest twice as long.
      resting.now += 1000;
    }
  });

  test('rests twice as long each time it is refused again at once, up to eight seconds', async () => {
    const eager = line();
    await refused(eager, 'n0', 1);
    for (const [i, [rested, next]] of [
      [1, 2],
      [2, 4],
      [4, 8],
      [8, 8],
      [8, 8],
    ].entries()) {
      const id = `n${i + 1}`;
      eager.send('/', named(id));
      resting.now += (rested ?? 0) * 1000;
      timer.ticks((rested ?? 0) * 10 - 1);
      busy = false;
      await roundTrips();
      assert.equal(asked.at(-1), `n${i}`, `${rested} s are not over`);
      busy = true;
      timer.ticks(1);
      assert.deepEqual(await eager.answers(1), [`503 ${id}`]);
      assert.deepEqual(eager.waits, [next]);
    }
    pass(8);
    assert.equal(timer.tick, undefined);
  });

  test('rests no longer than it may, where a proxy shares it among callers', async () => {
    await server.close(1000);
    await start(1);
    const eager = line();
    for (let i = 0; i < 4; i++) {
      await refused(eager, `n${i}`, 1);
      pass(1);
    }
    busy = false;
    eager.send('/', named('last'));
    assert.deepEqual(await eager.answers(1), ['200 last']);
  });

  test('rests a second again once it was left alone for a second, whatever it was served meanwhile', async () => {
    const eager = line();
    await refused(eager, 'a', 1);
    pass(1);
    await refused(eager, 'b', 2);
    pass(2);
    busy = false;
    eager.send('/', named('c'));
    assert.deepEqual(await eager.answers(1), ['200 c']);
    busy = true;
    resting.now += 999;
    await refused(eager, 'd', 4);
    pass(4);
    busy = false;
    eager.send('/', named('e'));
    assert.deepEqual(await eager.answers(1), ['200 e']);
    busy = true;
    resting.now += 1000;
    await refused(eager, 'f', 1);
    pass(1);
    await refused(eager, 'g', 2);
  });

  test('does not make the rests of others longer', async () => {
    const [first, second] = [line(), line()];
    await refused(first, 'a', 1);
    pass(1);
    await refused(first, 'b', 2);
    await refused(second, 'c', 1);
    busy = false;
    first.send('/', named('d'));
    second.send('/', named('e'));
    pass(1);
    assert.deepEqual(await second.answers(1), ['200 e']);
    await roundTrips();
    assert.deepEqual(asked, ['a', 'b', 'c', 'e']);
    pass(1);
    assert.deepEqual(await first.answers(1), ['200 d']);
  });

  test('ends its rest by closing', async () => {
    const leaving = line();
    leaving.send('/', named('x'));
    await leaving.answers(1);
    leaving.socket.destroy();
    busy = false;
    await roundTrips();
    timer.ticks(10);
    assert.equal(timer.tick, undefined);
    // It waits for every connection that is still there.
    for (const { socket } of lines.splice(0)) socket.destroy();
    await server.close(60_000);
  });

  test('is closed at once by a server that closes', async () => {
    const resting = line();
    resting.send('/', named('x'));
    await resting.answers(1);
    const closed = once(resting.socket, 'close');
    await server.close(60_000);
    await closed;
  });

  test('does not rest where its caller asked to close it', async () => {
    const closing = line();
    closing.send('/', `${named('x')}Connection: close\r\n`);
    await once(closing.socket, 'close');
    assert.equal(timer.tick, undefined);
  });

  test('does not rest where the gateway drains, which closes it', async () => {
    draining = true;
    const late = line();
    late.send('/', named('x'));
    await once(late.socket, 'close');
    assert.equal(timer.tick, undefined);
  });
});
