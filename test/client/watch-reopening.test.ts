import assert from 'node:assert/strict';
import { createServer, type RequestListener, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, test } from 'node:test';
import { CredentialsError, UnavailableError } from '../../client/errors.ts';
import { Http } from '../../client/http.ts';
import { type WatchTimes, watchServers } from '../../client/watch.ts';

const SNAPSHOT = '{"event":"snapshot","id":"1","data":{"servers":[],"more":false}}\n';
const CHANGE = '{"event":"change","id":"2","data":{"game_id":"rust","server":"a:1","tracked":false}}\n';

/** Returns the event that ends an event stream with the error `code`. */
function endLine(code: string): string {
  return `{"event":"end","id":"1","data":{"error":"${code}","message":"The stream ends."}}\n`;
}

/** Answers like an overloaded service, with the given header `Retry-After`. */
function refuse(response: ServerResponse, retryAfter: string): void {
  const body = '{"error":"CORE_1","message":"The core cannot take more work."}';
  response.writeHead(503, { 'Retry-After': retryAfter }).end(body);
}

describe('watchServers()', () => {
  let server: Server;
  afterEach(() => {
    server.close();
    server.closeAllConnections();
  });

  /**
   * Starts an HTTP server that answers requests with the function `answer`. Calls `watchServers` for this server, and
   * reads events until the first change. Returns the types of all events, and the waits between two requests in ms.
   * These waits are simulated and take no time.
   */
  async function watch(answer: RequestListener, times?: WatchTimes): Promise<[string[], number[]]> {
    server = createServer(answer);
    await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const types: string[] = [];
    const waits: number[] = [];
    const http = new Http({ baseUrl: `http://127.0.0.1:${port}` });
    const wait = async (ms: number): Promise<void> => void waits.push(ms);
    for await (const event of watchServers(http, { game: 'rust' }, {}, { wait, ...times })) {
      types.push(event.type);
      if (event.type === 'change') break;
    }
    return [types, waits];
  }

  test('reopens the stream after 1 s if a proxy answers with status 502', async () => {
    let requests = 0;
    const [types, waits] = await watch((_request, response) => {
      if (++requests === 1) response.writeHead(502).end('<html>');
      else response.write(SNAPSHOT + CHANGE);
    });
    assert.deepEqual(types, ['snapshot', 'change']);
    assert.deepEqual(waits, [1_000]);
  });

  test('reopens the stream and continues after the last event if the service is silent for too long', async () => {
    const [types] = await watch(
      (request, response) => {
        response.write(request.url?.endsWith('&last_event_id=1') ? CHANGE : SNAPSHOT);
      },
      { maxSilenceMs: 200 },
    );
    assert.deepEqual(types, ['snapshot', 'change']);
  });

  test('doubles its wait after each refusal, up to 30 seconds, even if `Retry-After` is 0', async () => {
    let requests = 0;
    const [, waits] = await watch((_request, response) => {
      if (++requests <= 7) refuse(response, '0');
      else response.write(CHANGE);
    });
    assert.deepEqual(waits, [1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000]);
  });

  test('waits at least as long as `Retry-After` asks', async () => {
    let requests = 0;
    const [, waits] = await watch((_request, response) => {
      if (++requests <= 3) refuse(response, '3');
      else response.write(CHANGE);
    });
    assert.deepEqual(waits, [3_000, 3_000, 4_000]);
  });

  test('reopens the stream if `Retry-After` is an HTTP date', async () => {
    let requests = 0;
    const [, waits] = await watch((_request, response) => {
      if (++requests === 1) refuse(response, new Date(Date.now() - 60_000).toUTCString());
      else response.write(CHANGE);
    });
    assert.deepEqual(waits, [1_000]);
  });

  test('reopens the stream if the service answers 503 with an empty `Retry-After`', async () => {
    let requests = 0;
    const [, waits] = await watch((_request, response) => {
      if (++requests <= 2) refuse(response, '');
      else response.write(CHANGE);
    });
    assert.deepEqual(waits, [1_000, 2_000]);
  });

  test('throws if the service asks to wait longer than `maxRetryAfterSeconds`', async () => {
    const watching = watch((_request, response) => refuse(response, '31'));
    await assert.rejects(watching, UnavailableError);
  });

  test('doubles its wait each time a stream ends without an event', async () => {
    let requests = 0;
    const [, waits] = await watch((_request, response) => {
      if (++requests <= 3) response.end();
      else response.write(CHANGE);
    });
    assert.deepEqual(waits, [1_000, 2_000, 4_000]);
  });

  test('reopens a stream that ends with a code such as RATE_1, each time after a longer wait', async () => {
    let requests = 0;
    const [types, waits] = await watch((request, response) => {
      requests++;
      if (requests === 1) response.end(SNAPSHOT + endLine('RATE_1'));
      else if (requests === 2) response.end(endLine('RATE_1'));
      else response.write(request.url?.endsWith('&last_event_id=1') ? CHANGE : SNAPSHOT);
    });
    assert.deepEqual(types, ['snapshot', 'change']);
    assert.deepEqual(waits, [1_000, 2_000]);
  });

  test('throws if the stream ends with a code that begins with `AUTH_`', async () => {
    let requests = 0;
    const watching = watch((_request, response) => {
      requests++;
      response.end(SNAPSHOT + endLine('AUTH_3'));
    });
    await assert.rejects(watching, (error: unknown) => {
      assert.ok(error instanceof CredentialsError);
      assert.equal(error.code, 'AUTH_3');
      return true;
    });
    assert.equal(requests, 1);
  });
});
