import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type GatewayUnderTest, runGateway } from '../gateway/running-gateway.ts';
import { StallingProxy } from '../gateway/stalling-proxy.ts';
import { stackDefaults } from '../system/stack-settings.ts';
import { until } from '../system/until.ts';
import { freshAddress } from './fresh-address.ts';
import { type InProcess, startInProcess } from './in-process.ts';
import { credentialHeaders, metaIn, postFetch } from './rest.ts';
import { createToken, usedBy } from './tokens.ts';

const BURST_LIMIT = 20;

describe('a REST request for which the gateway does not receive the reply of the core', () => {
  let stack: InProcess;
  let proxy: StallingProxy;
  let gateway: GatewayUnderTest;
  before(async () => {
    stack = await startInProcess({ GSQ_BURST_LIMIT: String(BURST_LIMIT) });
    proxy = await StallingProxy.start(stack.internal);
    gateway = await runGateway(proxy.address, stackDefaults);
    // Waits until the gateway has connected to the core through the proxy. This must come first: during the tests, the
    // proxy drops all bytes from the core, so the gateway could not connect.
    const readiness = async (): Promise<number> => (await fetch(`http://${gateway.ops}/readyz`)).status;
    await until('a connected gateway', readiness, status => status === 200);
  });
  after(async () => {
    await gateway.running.drain();
    proxy.stop();
    await stack.stop();
  });

  it('counts only once against the quota, although the gateway sends the request to the core again', async () => {
    const token = await createToken(stack.internal);
    const servers = Array.from({ length: 1000 }, freshAddress);
    proxy.loseReplies();
    const answer = postFetch(gateway.http, [{ game_id: 'csgo', servers }], credentialHeaders(token));
    await until(
      'the charge',
      () => usedBy(stack.internal, token.id),
      used => used === 1,
    );
    proxy.breakConnections();
    const { auto_inserted, inserted_servers } = metaIn(await answer);
    assert.equal(auto_inserted, 1000);
    assert.deepEqual(
      inserted_servers,
      servers.map(server => ({ game_id: 'csgo', server })),
    );
    assert.equal(await usedBy(stack.internal, token.id), 1);
  });

  it('is repeated by the gateway even if the burst limit is reached', async () => {
    const token = await createToken(stack.internal);
    const servers = [freshAddress()];
    proxy.loseReplies();
    const answers = Array.from({ length: BURST_LIMIT }, () =>
      postFetch(gateway.http, [{ game_id: 'csgo', servers }], credentialHeaders(token)),
    );
    await until(
      'a charge',
      () => usedBy(stack.internal, token.id),
      used => used > 0,
    );
    proxy.breakConnections();
    const inserted = (await Promise.all(answers)).map(answer => metaIn(answer).auto_inserted);
    assert.deepEqual(inserted.sort(), [...Array(BURST_LIMIT - 1).fill(0), 1]);
    assert.equal(await usedBy(stack.internal, token.id), BURST_LIMIT);
  });
});
