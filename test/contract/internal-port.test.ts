import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { Metadata } from '@grpc/grpc-js';
import { clients, internalMetadata } from '../../proto/clients.ts';
import type { GetStatsResponse__Output } from '../../proto/generated/gsq/v1/GetStatsResponse.ts';
import type { ListServersResponse__Output } from '../../proto/generated/gsq/v1/ListServersResponse.ts';
import { unary } from '../core/rpc/answer.ts';
import { Stack } from '../system/stack.ts';
import { until } from '../system/until.ts';
import { deadline, FetchConversation, failure } from './grpc.ts';
import { startInProcess } from './in-process.ts';
import { fetchOne } from './rest.ts';

const SECRET = 'a-secret-for-tests-only';

describe('the internal gRPC port', () => {
  let stack: Stack;
  before(async () => {
    stack = await Stack.start({
      processes: ['core', 'gateway', 'prober'],
      env: { GSQ_INTERNAL_SECRET: SECRET },
    });
  });
  after(() => stack.stop());

  it('serves AdminService with its calls for tokens, servers and statistics', async () => {
    const client = clients.admin(stack.internal);
    const secret = internalMetadata(SECRET);
    const groups = { servers: [{ gameId: 'csgo', servers: ['127.0.0.1:27900'] }] };
    await unary(done => client.addServers(groups, secret, deadline(), done));
    const list = () =>
      unary<ListServersResponse__Output>(done =>
        client.listServers({ gameId: 'csgo' }, secret, deadline(), done),
      );
    assert.deepEqual(
      (await list()).servers.map(({ server }) => server),
      ['127.0.0.1:27900'],
    );
    const stats = await unary<GetStatsResponse__Output>(done =>
      client.getStats({}, secret, deadline(), done),
    );
    assert.deepEqual([stats.tracked, stats.tokens], [1, 1]);
    await unary(done => client.removeServers(groups, secret, deadline(), done));
    assert.deepEqual((await list()).servers, []);
    client.close();
  });

  it('accepts calls of a gateway and a prober that send the shared secret', async () => {
    await fetchOne(stack.http, 'csgo', '127.0.0.1:27901');
    const client = clients.admin(stack.internal);
    const stats = () =>
      unary<GetStatsResponse__Output>(done =>
        client.getStats({}, internalMetadata(SECRET), deadline(), done),
      );
    const { length } = stack.processes('prober');
    await until('the prober in session', stats, ({ probers }) => probers === length);
    client.close();
  });

  for (const [what, metadata] of [
    ['without the shared secret', new Metadata()],
    ['with a wrong secret', internalMetadata('a-secret-for-tests-onlY')],
  ] as const) {
    it(`refuses a call to any service if the call is made ${what}`, async () => {
      const admin = clients.admin(stack.internal);
      const game = clients.game(stack.internal);
      const probe = clients.probe(stack.internal);
      const session = probe.session(metadata, deadline());
      const refusals = await Promise.all([
        failure(unary(done => admin.listTokens({}, metadata, deadline(), done))),
        failure(unary(done => game.listGames({}, metadata, deadline(), done))),
        failure(session[Symbol.asyncIterator]().next()),
        failure(new FetchConversation(stack.internal, metadata).next()),
      ]);
      for (const { code, reason } of refusals) {
        assert.deepEqual([code, reason], ['UNAUTHENTICATED', 'AUTH_5']);
      }
      for (const client of [admin, game, probe]) client.close();
    });
  }
});

describe('the internal port without TLS', () => {
  const fault =
    /GSQ_INTERNAL_ADDR: .* is not loopback, so the internal port needs TLS there; set GSQ_INTERNAL_TLS_CERT/;

  for (const address of ['[::]:0', ':0', '192.0.2.1:0', 'example.invalid:0', '127.example.invalid:0']) {
    it(`does not open at ${address}, because this address is not loopback`, () =>
      assert.rejects(startInProcess({ GSQ_INTERNAL_ADDR: address }), fault));
  }
});
