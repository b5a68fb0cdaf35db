import assert from 'node:assert/strict';
import { Socket } from 'node:net';
import { test } from 'node:test';
import { CallerGone } from '../../../gateway/http/error-reply.ts';
import { createExchange } from '../../../gateway/http/exchange.ts';
import { PlainRequest } from '../../../gateway/http/plain-request.ts';
import { readRoutes } from '../../../gateway/http/routes.ts';
import { type JsonContext, JsonEndpoint } from '../../../gateway/json/json-endpoint.ts';
import { PublicPaths } from '../../../gateway/json/public-paths.ts';
import { descriptorImage } from '../../../proto/descriptors.ts';

test('the core is not called for a client that hangs up in the turns before the call', async () => {
  const route = readRoutes(descriptorImage).find(({ rpc }) => rpc === 'gsq.v1.ServerService.GetStatusJson');
  assert.ok(route);
  let calls = 0;
  const context = {
    calls: { callCore: () => Promise.reject(new Error(`call ${++calls}`)) },
    publicPaths: new PublicPaths(true, undefined),
    secret: 'between us',
    trustedProxies: 0,
  } as unknown as JsonContext;
  const endpoint = new JsonEndpoint(route, context);
  const call = (socket: Socket): Promise<unknown> => {
    const head = { method: 'GET', headers: { host: '127.0.0.1' }, length: 0, bodyLength: 0 };
    return endpoint.callMethod(createExchange(new PlainRequest(socket, head, Buffer.alloc(0))));
  };
  await assert.rejects(call(new Socket()), /call 1/);
  const socket = new Socket();
  const answer = call(socket);
  setImmediate(() => socket.destroy());
  await assert.rejects(answer, CallerGone);
  assert.equal(calls, 1);
});
