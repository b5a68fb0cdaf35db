import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterEach, describe, test } from 'node:test';
import type { Response } from '../../../gateway/http/exchange.ts';
import type { PlainRequest } from '../../../gateway/http/plain-request.ts';
import type { PlainRoute } from '../../../gateway/http/plain-route.ts';
import { type HttpLimits, type HttpServer, httpLimits, listenHttp } from '../../../gateway/http-server.ts';
import { AddressCap } from '../../../net/address-cap.ts';

const REQUEST = 'POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\n';
const OTHER = 'GET /other HTTP/1.1\r\nHost: x\r\n\r\n';

let server: HttpServer | undefined;
const sockets: Socket[] = [];

afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  await server?.close(0);
  server = undefined;
});

type Answer = (request: PlainRequest, response: Response) => void;

const echo: Answer = ({ body }, response) => {
  const bytes = Buffer.concat([Buffer.from('plain '), body]);
  response.writeHead(200, { 'Content-Length': String(bytes.length) }).end(bytes);
};

/**
 * Starts a server with one plain route. It answers plain requests with `plain …`. It answers all other requests through
 * node:http with `node`.
 */
async function serve(listener: Answer = echo, limits: Partial<HttpLimits> = {}): Promise<void> {
  const route: PlainRoute = {
    method: 'POST',
    requestLine: 'POST /echo HTTP/1.1\r\n',
    acceptsPlain: () => true,
    listener,
  };
  server = await listenHttp(
    { host: '127.0.0.1', port: 0 },
    (request, response) => {
      request.resume();
      request.on('end', () => response.writeHead(200, { 'Content-Length': '4' }).end('node'));
    },
    { ...httpLimits, ...limits },
    [route],
  );
}

/** A client connection, and the text received on it. */
class Line {
  readonly socket: Socket;
  received = '';
  readonly closed: Promise<unknown>;

  constructor() {
    this.socket = connect({ port: server?.endpoint.port ?? 0, host: '127.0.0.1' });
    sockets.push(this.socket);
    this.closed = new Promise(resolve => this.socket.on('close', resolve));
    this.socket.setEncoding('latin1').on('data', text => {
      this.received += text;
    });
    this.socket.on('error', () => {});
  }

  /** Resolves when the received text matches the pattern. */
  async until(pattern: RegExp): Promise<void> {
    while (!pattern.test(this.received)) await once(this.socket, 'data');
  }
}

test('a connection served without node:http answers several requests one after the other and stays open', async () => {
  await serve();
  const line = new Line();
  line.socket.write(`${REQUEST}a1`);
  await line.until(/plain a1$/);
  assert.match(
    line.received,
    /^HTTP\/1\.1 200 OK\r\nContent-Length: 8\r\nDate: [^\r]+ GMT\r\nConnection: keep-alive\r\nKeep-Alive: timeout=65\r\n\r\nplain a1$/,
  );
  line.socket.write(`${REQUEST}a2`);
  await line.until(/plain a2$/);
  // The head of this request differs from the head of the previous request.
  line.socket.write(`${REQUEST.replace('2\r\n', '3\r\n')}abc`);
  await line.until(/plain abc$/);
  line.socket.write(`${REQUEST}a3`);
  await line.until(/plain a3$/);
});

test('a connection served without node:http sends the current time in the Date header', async t => {
  await serve();
  const line = new Line();
  let now = 0;
  t.mock.method(Date, 'now', () => now);
  for (const [at, date] of [
    [0, 'Thu, 01 Jan 1970 00:00:00 GMT'],
    [999, 'Thu, 01 Jan 1970 00:00:00 GMT'],
    [86_400_000, 'Fri, 02 Jan 1970 00:00:00 GMT'],
  ] as const) {
    now = at;
    line.received = '';
    line.socket.write(`${REQUEST}a1`);
    await line.until(/plain a1$/);
    assert.equal(/Date: ([^\r]+)/.exec(line.received)?.[1], date);
  }
});

test('a connection served without node:http accepts a request in two packets, and gives a request in three packets to node:http', async () => {
  await serve();
  const line = new Line();
  line.socket.setNoDelay(true);
  // Sends the pieces one by one, and gives the server time to read each piece. The test cannot see what the server has
  // read, only its answers.
  const pieces = async (...texts: string[]): Promise<void> => {
    for (const text of texts) {
      await new Promise(resolve => line.socket.write(text, resolve));
      await new Promise(setImmediate);
    }
  };
  await pieces(REQUEST, 'a1');
  await line.until(/plain a1$/);
  await pieces(REQUEST, 'a', '1');
  await line.until(/(node|plain a1.*plain a1)$/s);
});

test('a connection served without node:http gives a request to node:http if it arrives before the previous request is answered', async () => {
  const held: Response[] = [];
  let came = (): void => {};
  const arrived = new Promise<void>(resolve => {
    came = resolve;
  });
  await serve(
    (_, response) => {
      held.push(response);
      came();
    },
    { connectionsCheckingInterval: 60_000 },
  );
  const line = new Line();
  line.socket.write(`${REQUEST}a1`);
  await arrived;
  line.socket.write(`${OTHER}${OTHER}`);
  const second = new Line();
  second.socket.write(OTHER);
  await second.until(/node$/);
  held[0]?.writeHead(200, { 'Content-Length': '5' }).end(Buffer.from('first'));
  await line.until(/node.*node$/s);
  assert.match(line.received, /first.*node.*node$/s);
  // Later requests on this connection are answered by node:http too.
  line.socket.write(`${REQUEST}a2`);
  await line.until(/node.*node.*node$/s);
});

test('a caller that closes its half of the connection after a request still gets the answer', async () => {
  await serve((request, response) => {
    request.socket.once('end', () => echo(request, response));
  });
  const line = new Line();
  line.socket.end(`${REQUEST}a1`);
  await line.closed;
  assert.match(line.received, /plain a1$/);
});

test('a caller that closes its half of the connection within a request gets an error', async () => {
  await serve();
  const line = new Line();
  line.socket.end(REQUEST);
  await line.closed;
  assert.match(line.received, /^HTTP\/1\.1 400 /);
});

test('a connection served without node:http is closed after an answer with Connection: close', async () => {
  await serve((_, response) => {
    response.writeHead(503, { 'Content-Length': '0', Connection: 'close' }).end();
  });
  const line = new Line();
  line.socket.write(`${REQUEST}a1`);
  await line.closed;
  assert.match(
    line.received,
    /^HTTP\/1\.1 503 Service Unavailable\r\nContent-Length: 0\r\nConnection: close\r\n/,
  );
});

test('a caller that disconnects before its answer causes no error in the server', async () => {
  let answer: () => void = () => {};
  let gone: Promise<unknown> | undefined;
  let came = (): void => {};
  const arrived = new Promise<void>(resolve => {
    came = resolve;
  });
  await serve(({ socket, ...request }, response) => {
    gone = new Promise(resolve => socket.on('close', resolve));
    answer = () => {
      assert.equal(response.destroyed, true);
      response.writeHead(200, { 'Content-Length': '0' }).end(request.body);
    };
    came();
  });
  const line = new Line();
  line.socket.write(`${REQUEST}a1`);
  await arrived;
  line.socket.resetAndDestroy();
  await gone;
  answer();
});

describe('the time limits of a connection served without node:http', { timeout: 20_000 }, () => {
  const hasty = {
    keepAliveTimeout: 60,
    connectionsCheckingInterval: 20,
    headersTimeout: 60,
    requestTimeout: 60,
  };

  test('close the connection if there is no next request', async () => {
    await serve(echo, hasty);
    const line = new Line();
    line.socket.write(`${REQUEST}a1`);
    await line.closed;
    assert.match(line.received, /plain a1$/);
  });

  for (const [name, text] of [
    ['no byte of a request', ''],
    ['only half of a request head', 'POST /echo HTTP/1.1\r\nHo'],
    ['only half of a request body', `${REQUEST}a`],
  ] as const) {
    test(`cause an answer 408 if ${name} arrives`, async () => {
      await serve(echo, hasty);
      const line = new Line();
      line.socket.write(text);
      await line.closed;
      assert.match(line.received, /^HTTP\/1\.1 408 /);
    });
  }

  test('do not close the connection while the server takes long to answer', async () => {
    let answer = (): void => {};
    await serve((request, response) => {
      answer = () => echo(request, response);
    }, hasty);
    const line = new Line();
    line.socket.write(`${REQUEST}a1`);
    // Another connection is still checked and closed.
    const other = new Line();
    await other.closed;
    answer();
    await line.until(/plain a1$/);
  });

  test('destroy the connection if the caller does not read its answer', async () => {
    const sizes: number[] = [];
    let gone: Promise<unknown> | undefined;
    await serve(
      ({ socket }, response) => {
        gone ??= new Promise(resolve => socket.on('close', resolve));
        sizes.push(1);
        const bytes = Buffer.alloc(64 * 1024 * 1024);
        response.writeHead(200, { 'Content-Length': String(bytes.length) }).end(bytes);
      },
      { timeout: 100 },
    );
    const line = new Line();
    line.socket.pause();
    line.socket.write(`${REQUEST}a1`);
    while (!gone) await new Promise(setImmediate);
    // The server starts no further request before the caller has read the answer.
    line.socket.write(`${REQUEST}a2`);
    await gone;
    assert.equal(sizes.length, 1);
  });

  test('allow a caller to read a large answer slowly, and its next request is answered too', async () => {
    const bytes = Buffer.alloc(8 * 1024 * 1024, 'x');
    await serve((request, response) => {
      if (request.body.toString() !== 'a1') return echo(request, response);
      response.writeHead(200, { 'Content-Length': String(bytes.length) }).end(bytes);
    });
    const line = new Line();
    line.socket.pause();
    line.socket.write(`${REQUEST}a1`);
    await new Promise(setImmediate);
    line.socket.resume();
    while (line.received.length < bytes.length) await once(line.socket, 'data');
    line.socket.write(`${REQUEST}a2`);
    await line.until(/plain a2$/);
    const start = line.received.indexOf('\r\n\r\n') + 4;
    assert.ok(line.received.slice(start).startsWith(`${bytes.toString()}HTTP/1.1 200 OK\r\n`));
  });

  test('do not damage any answer while another caller reads slowly', async () => {
    const letters = 'abcdefghij';
    const taken: boolean[] = [];
    let answered = (): void => {};
    await serve((request, response) => {
      const letter = /^[a-j]/.exec(request.body.toString())?.[0];
      if (letter === undefined) return echo(request, response);
      const bytes = Buffer.alloc(48 * 1024, letter);
      response.writeHead(200, { 'Content-Length': String(bytes.length) }).end(bytes);
      taken.push(response.writableLength === 0);
      answered();
    });
    const slow = new Line();
    slow.socket.pause();
    do {
      const next = new Promise<void>(resolve => {
        answered = resolve;
      });
      slow.socket.write(`${REQUEST}${letters[taken.length % 10]}1`);
      await next;
    } while (taken.at(-1));
    const quick = new Line();
    for (let i = 10; i < 20; i++) {
      quick.socket.write(`${REQUEST}${i}`);
      await quick.until(new RegExp(`plain ${i}$`));
    }
    slow.socket.resume();
    const bodies = (): string[] => slow.received.split(/HTTP.*?\r\n\r\n/s).slice(1);
    while (bodies().length < taken.length || bodies().at(-1)?.length !== 48 * 1024)
      await once(slow.socket, 'data');
    bodies().forEach((body, i) => {
      assert.ok(body === (letters[i % 10] ?? '').repeat(48 * 1024), `answer ${i}`);
    });
  });

  test('work together with a limit of connections per address', async () => {
    await serve(echo, { perAddress: new AddressCap(1, () => true) });
    const first = new Line();
    first.socket.write(`${REQUEST}a1`);
    await first.until(/plain a1$/);
    await new Line().closed;
    first.socket.destroy();
    await first.closed;
  });
});

describe('close() of a server with connections served without node:http', { timeout: 20_000 }, () => {
  test('closes idle connections immediately, and busy connections after their answer', async () => {
    let answer = (): void => {};
    let came = (): void => {};
    const arrived = new Promise<void>(resolve => {
      came = resolve;
    });
    await serve((request, response) => {
      if (request.body.toString() === 'a1') return echo(request, response);
      answer = () =>
        response.writeHead(200, { 'Content-Length': '4', Connection: 'close' }).end(Buffer.from('last'));
      came();
    });
    const idle = new Line();
    idle.socket.write(`${REQUEST}a1`);
    await idle.until(/plain a1$/);
    const busy = new Line();
    busy.socket.write(`${REQUEST}a2`);
    await arrived;
    const closed = server?.close(60_000);
    await idle.closed;
    answer();
    await busy.closed;
    await closed;
    assert.match(busy.received, /last$/);
  });

  test('destroys connections whose request is still not answered after the time limit', async () => {
    let came = (): void => {};
    const arrived = new Promise<void>(resolve => {
      came = resolve;
    });
    await serve(() => came());
    const line = new Line();
    line.socket.write(`${REQUEST}a1`);
    await arrived;
    await server?.close(10);
    await line.closed;
    assert.equal(line.received, '');
  });
});
