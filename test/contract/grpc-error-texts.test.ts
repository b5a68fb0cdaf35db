import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { clients } from '../../proto/clients.ts';
import { failure, Inbox } from '../core/rpc/answer.ts';
import { credentialMetadata, deadline, fetchServers } from './grpc.ts';
import { type InProcess, startInProcess } from './in-process.ts';

describe('an error over gRPC', () => {
  let stack: InProcess;
  before(async () => {
    stack = await startInProcess();
  });
  after(() => stack.stop());

  it('has a message that mentions no REST path, although REST and gRPC share the messages', async () => {
    const server = clients.server(stack.grpc);
    const webhook = clients.webhook(stack.grpc);
    const metadata = credentialMetadata();
    const named = { gameId: 'nothing', server: '127.0.0.1:27015' };
    const watch = server.watchServersJson({ game: 'nothing' }, metadata, deadline());
    const hook = { url: 'https://hooks.example/', game: 'nothing', events: [{ event: 'offline' }] };
    const errors = await Promise.all([
      failure(done => server.getServer(named, metadata, deadline(), done)),
      failure(done => server.listServers({ game: 'nothing' }, metadata, deadline(), done)),
      failure(done => server.getSummary({ game: 'nothing' }, metadata, deadline(), done)),
      new Inbox(watch).over,
      failure(done => webhook.createWebhook(hook, metadata, deadline(), done)),
      failure(done => webhook.getWebhook({ id: 'whk_000000000000' }, metadata, deadline(), done)),
    ]);
    const texts = errors.map(error => JSON.stringify([error?.details, error?.ours?.details.violations]));
    const { results } = await fetchServers(
      stack.grpc,
      { servers: [{ gameId: 'nothing', servers: ['127.0.0.1:27015'] }] },
      metadata,
    );
    texts.push(results[0]?.message ?? '');
    for (const text of texts) {
      assert.match(text, /game|webhook/);
      assert.doesNotMatch(text, /\/v1\//);
    }
    server.close();
    webhook.close();
  });
});
