import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Metadata } from '@grpc/grpc-js';
import { internalGuard } from '../../../core/rpc/internal-guard.ts';
import { INTERNAL_SECRET_KEY, internalMetadata } from '../../../proto/clients.ts';
import type { GetStatsResponse__Output } from '../../../proto/generated/gsq/v1/GetStatsResponse.ts';
import type { SessionResponse__Output } from '../../../proto/generated/gsq/v1/SessionResponse.ts';
import { failure, Inbox, unary } from './answer.ts';
import { runningCore } from './running-core.ts';

const metadataWith = (secret: string): Metadata => {
  const metadata = new Metadata();
  metadata.set(INTERNAL_SECRET_KEY, secret);
  return metadata;
};

test('the credential check of the internal port refuses a call without the correct internal secret', () => {
  const guard = internalGuard('between us');
  guard(internalMetadata('between us'));
  for (const wrong of ['', 'between', 'between us!', 'BETWEEN US']) {
    assert.throws(() => guard(metadataWith(wrong)), { name: 'ServiceError', code: 'AUTH_5' }, wrong);
  }
  assert.throws(() => guard(new Metadata()), { code: 'AUTH_5' });
});

test('every service on the internal port refuses calls without the internal secret', async t => {
  const { client, dispatcher } = await runningCore(t, { secret: 'between us' });
  const refused = [
    await failure(done => client.admin.getStats({}, done)),
    await failure(done => client.game.listGames({}, done)),
    await failure(done => client.server.fetchServers({}, done)),
    await new Inbox<SessionResponse__Output>(client.probe.session()).over,
    await new Inbox<unknown>(client.server.fetchStream()).over,
    await new Inbox<unknown>(client.server.watchServers({})).over,
  ];
  for (const end of refused) assert.equal(end?.ours?.code, 'AUTH_5');
  assert.equal(dispatcher.probers, 0);
  const stats = unary<GetStatsResponse__Output>(done =>
    client.admin.getStats({}, internalMetadata('between us'), done),
  );
  assert.equal((await stats).tracked, 0);
});
