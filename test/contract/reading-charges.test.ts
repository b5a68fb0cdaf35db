import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { ServiceError as CallError } from '@grpc/grpc-js';
import { clients } from '../../proto/clients.ts';
import { failure, Inbox, unary } from '../core/rpc/answer.ts';
import { credentialMetadata, deadline, fetchServers } from './grpc.ts';
import { type InProcess, startInProcess } from './in-process.ts';
import { createToken, type TestToken, usedBy } from './tokens.ts';

const SERVER = '127.0.0.1:27015';
const named = { gameId: 'csgo', server: SERVER };

describe('a request that reads stored data or manages webhooks', () => {
  let stack: InProcess;
  let token: TestToken;
  before(async () => {
    stack = await startInProcess();
    await fetchServers(
      stack.grpc,
      { servers: [{ gameId: 'csgo', servers: [SERVER] }] },
      credentialMetadata(),
    );
  });
  after(() => stack.stop());

  /** Creates a token and a gRPC client of each service. Passes the clients and the metadata of the token to `use`. */
  async function withClients(use: (open: Clients) => Promise<void>): Promise<void> {
    token = await createToken(stack.internal);
    const open = {
      server: clients.server(stack.grpc),
      history: clients.history(stack.grpc),
      webhook: clients.webhook(stack.grpc),
      metadata: credentialMetadata(token),
    };
    await use(open);
    for (const client of [open.server, open.history, open.webhook]) client.close();
  }

  it('costs no quota if the request is invalid', async () => {
    await withClients(async ({ server, history, webhook, metadata }) => {
      const bad = { ...named, server: 'nonsense' };
      const codes = await Promise.all([
        failure(done => server.getServer(bad, metadata, deadline(), done)),
        failure(done => server.listServers({ sort: 'nothing' }, metadata, deadline(), done)),
        failure(done => server.getSummary({ game: 'nothing' }, metadata, deadline(), done)),
        new Inbox(server.watchServersJson({ game: 'nothing' }, metadata, deadline())).over,
        new Inbox(server.watchServers({ resumeToken: 'x' }, metadata, deadline())).over,
        failure(done => history.getHistory(bad, metadata, deadline(), done)),
        failure(done => history.getHistory({ ...named, step: '61s' }, metadata, deadline(), done)),
        failure(done => history.getUptime({ ...named, window: '1y' }, metadata, deadline(), done)),
        failure(done => history.listIncidents({ ...named, pageToken: 'x' }, metadata, deadline(), done)),
        failure(done => webhook.createWebhook({ url: 'nonsense' }, metadata, deadline(), done)),
      ]);
      assert.deepEqual(
        codes.map(error => error?.ours?.code),
        [...Array<string>(9).fill('QUERY_1'), 'POST_2'],
      );
      assert.equal(await usedBy(stack.internal, token.id), 0);
    });
  });

  it('costs no quota if it is refused because the token already has the maximum number of webhooks', async () => {
    await withClients(async ({ webhook, metadata }) => {
      const request = {
        url: 'https://hooks.example/',
        servers: [{ gameId: 'csgo', servers: [SERVER] }],
        events: [{ event: 'offline' }],
      };
      const create = (done: (error: CallError | null) => void) =>
        webhook.createWebhook(request, metadata, deadline(), done);
      for (let n = 0; n < 10; n++) await unary(create);
      assert.equal((await failure(create)).ours?.code, 'HOOK_2');
      assert.equal(await usedBy(stack.internal, token.id), 10);
    });
  });

  it('counts once against the daily quota, even for an unknown server or webhook', async () => {
    await withClients(async ({ server, history, webhook, metadata }) => {
      const untracked = { ...named, server: '127.0.0.1:27016' };
      await unary(done => server.getServer(named, metadata, deadline(), done));
      await failure(done => server.getServer(untracked, metadata, deadline(), done));
      await unary(done => server.listServers({}, metadata, deadline(), done));
      await unary(done => server.getSummary({}, metadata, deadline(), done));
      await unary(done => history.getHistory(named, metadata, deadline(), done));
      await failure(done => history.getHistory(untracked, metadata, deadline(), done));
      await unary(done => history.getUptime(named, metadata, deadline(), done));
      await unary(done => history.listIncidents(named, metadata, deadline(), done));
      await unary(done => webhook.listWebhooks({}, metadata, deadline(), done));
      await failure(done => webhook.getWebhook({ id: 'whk_000000000000' }, metadata, deadline(), done));
      assert.equal(await usedBy(stack.internal, token.id), 10);
      const stream = server.watchServersJson({ server: [`csgo/${SERVER}`] }, metadata, deadline());
      await new Inbox(stream).until(messages => messages.length === 1);
      assert.equal(await usedBy(stack.internal, token.id), 11);
      stream.cancel();
    });
  });
});

interface Clients {
  server: ReturnType<typeof clients.server>;
  history: ReturnType<typeof clients.history>;
  webhook: ReturnType<typeof clients.webhook>;
  metadata: ReturnType<typeof credentialMetadata>;
}
