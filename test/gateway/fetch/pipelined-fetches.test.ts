import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { describe, test } from 'node:test';
import { ServiceError } from '../../../proto/service-error.ts';
import { askFetch, oneServer } from '../ask.ts';
import { agreeable, refusing } from '../core-scripts.ts';
import { withGateway } from '../running-gateway.ts';

/** Number of pipelined fetches: more than the 1000 fetches that the gateway accepts at the same time. */
const FETCHES = 1100;

/** Returns the fetch request with the index `id` as HTTP text. The last request contains `Connection: close`. */
const fetchOf = (token: string, id: number): string =>
  `POST /v1/post/fetch HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nX-API-Token: ${token}\r\n` +
  `X-API-Token-Type: FREE\r\nX-API-Token-Email: a@b.c\r\nX-Request-Id: n${id}\r\n` +
  `Connection: ${id === FETCHES - 1 ? 'close' : 'keep-alive'}\r\n` +
  `Content-Length: ${oneServer.length}\r\n\r\n${oneServer}`;

describe('a connection with pipelined fetches', () => {
  const { core, gateway } = withGateway();
  const refused = refusing(new ServiceError('AUTH_3', 'unknown'));

  for (const [token, script, status] of [
    ['good', agreeable, 200],
    ['bad', refused, 401],
  ] as const) {
    test(`has only one open call to the core at a time if the token is ${token}`, {
      timeout: 30_000,
    }, async () => {
      const [host, port] = gateway.http.split(':');
      let silent = true;
      core.script = call => {
        if (call.credentials?.token !== token) return agreeable(call);
        return silent ? undefined : script(call);
      };
      const mine = () => core.calls.filter(({ credentials }) => credentials?.token === token);
      const socket = connect(Number(port), host);
      let text = '';
      socket.setEncoding('latin1').on('data', chunk => {
        text += chunk;
      });
      socket.write(Array.from({ length: FETCHES }, (_, i) => fetchOf(token, i)).join(''));
      await core.until(() => mine().length === 1);
      for (let i = 0; i < 20; i++) assert.equal((await askFetch(gateway.http)).status, 200);
      assert.equal(mine().length, 1);
      silent = false;
      const [first] = mine();
      assert.ok(first);
      core.say({ ...script(first), id: first.id });
      await once(socket, 'close');
      assert.deepEqual(
        [...text.matchAll(/X-Request-Id: (\S+)/g)].map(([, id]) => id),
        Array.from({ length: FETCHES }, (_, i) => `n${i}`),
      );
      assert.deepEqual(new Set(text.match(/(?<=HTTP\/1\.1 )\d+/g)), new Set([String(status)]));
    });
  }
});
