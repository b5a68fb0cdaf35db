import assert from 'node:assert/strict';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, test } from 'node:test';
import { Http } from '../../client/http.ts';
import { watchServers } from '../../client/watch.ts';

const SNAPSHOT = '{"event":"snapshot","id":"1","data":{"servers":[],"more":false}}\n';
const CHANGE = '{"event":"change","id":"2","data":{"game_id":"rust","server":"a:1","tracked":false}}\n';

describe('watchServers()', () => {
  let server: Server;
  afterEach(() => {
    server.close();
    server.closeAllConnections();
  });

  /**
   * Starts an HTTP server that answers requests with the function `answer`. Calls `watchServers` for this server, and
   * reads events until the first change. Returns the types of all events.
   */
  async function watch(answer: RequestListener, maxSilenceMs?: number): Promise<string[]> {
    server = createServer(answer);
    await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const types: string[] = [];
    const http = new Http({ baseUrl: `http://127.0.0.1:${port}` });
    for await (const event of watchServers(http, { game: 'rust' }, {}, maxSilenceMs)) {
      types.push(event.type);
      if (event.type === 'change') break;
    }
    return types;
  }

  test('reopens the stream if a proxy answers with status 502 instead of the service', async () => {
    let requests = 0;
    const types = await watch((_request, response) => {
      if (++requests === 1) response.writeHead(502).end('<html>');
      else response.write(SNAPSHOT + CHANGE);
    });
    assert.deepEqual(types, ['snapshot', 'change']);
  });

  test('reopens the stream and continues after the last event if the service is silent for too long', async () => {
    const types = await watch((request, response) => {
      response.write(request.url?.endsWith('&last_event_id=1') ? CHANGE : SNAPSHOT);
    }, 200);
    assert.deepEqual(types, ['snapshot', 'change']);
  });
});
