import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { Metadata } from '@grpc/grpc-js';
import { clients, internalMetadata } from '../../proto/clients.ts';
import type { HttpBody__Output } from '../../proto/generated/google/api/HttpBody.ts';
import type { CreateWebhookRequest } from '../../proto/generated/gsq/v1/CreateWebhookRequest.ts';
import type { CreateWebhookResponse__Output } from '../../proto/generated/gsq/v1/CreateWebhookResponse.ts';
import type { LeaseDeliveriesResponse__Output } from '../../proto/generated/gsq/v1/LeaseDeliveriesResponse.ts';
import type { ListDeliveriesResponse__Output } from '../../proto/generated/gsq/v1/ListDeliveriesResponse.ts';
import type { ListWebhooksResponse__Output } from '../../proto/generated/gsq/v1/ListWebhooksResponse.ts';
import type { NotifyServiceClient } from '../../proto/generated/gsq/v1/NotifyService.ts';
import type { TestWebhookResponse__Output } from '../../proto/generated/gsq/v1/TestWebhookResponse.ts';
import type { WebhookServiceClient } from '../../proto/generated/gsq/v1/WebhookService.ts';
import { failure, unary } from '../core/rpc/answer.ts';
import { LogLines } from '../runtime/log-lines.ts';
import { INTERNAL_SECRET } from '../system/stack-settings.ts';
import { credentialMetadata, fetchServers } from './grpc.ts';
import { type InProcess, startInProcess } from './in-process.ts';
import { createToken, type TestToken } from './tokens.ts';

const SERVER = '127.0.0.1:27015';
const wish = (change: CreateWebhookRequest = {}): CreateWebhookRequest => ({
  url: 'https://hooks.example/secret-path?key=1',
  servers: [{ gameId: 'csgo', servers: [SERVER] }],
  events: [{ event: 'offline', for: '3m' }],
  ...change,
});

describe('the webhook API of the core', () => {
  const log = new LogLines();
  let stack: InProcess;
  let open: WebhookServiceClient;
  let internal: WebhookServiceClient;
  let notify: NotifyServiceClient;
  let token: TestToken;
  let other: TestToken;
  before(async () => {
    stack = await startInProcess({}, Date.now, log.logger);
    open = clients.webhook(stack.grpc);
    internal = clients.webhook(stack.internal);
    notify = clients.notify(stack.internal);
    token = await createToken(stack.internal);
    other = await createToken(stack.internal);
    await fetchServers(
      stack.grpc,
      { servers: [{ gameId: 'csgo', servers: [SERVER] }] },
      credentialMetadata(token),
    );
  });
  after(async () => {
    for (const client of [open, internal, notify]) client.close();
    await stack.stop();
  });

  const create = (
    request: CreateWebhookRequest,
    metadata: Metadata = credentialMetadata(token),
    client = open,
  ) => unary<CreateWebhookResponse__Output>(done => client.createWebhook(request, metadata, done));
  const remove = (id: string) => unary(done => open.deleteWebhook({ id }, credentialMetadata(token), done));
  const operator = () => internalMetadata(INTERNAL_SECRET);

  it('returns the secret of a webhook only once, when the webhook is registered', async () => {
    const { webhook, secret } = await create(wish());
    assert.match(secret, /^whsec_[A-Za-z0-9+/]{43}=$/);
    assert.equal(webhook?.url, 'https://hooks.example/…');
    assert.deepEqual(webhook?.servers, [{ gameId: 'csgo', servers: [SERVER] }]);
    assert.deepEqual(
      [webhook?.cooldown, webhook?.form, webhook?.tokenId, webhook?.events[0]?.for],
      ['1m', 'json', token.id, '3m'],
    );
    const body = await unary<HttpBody__Output>(done =>
      open.listWebhooksJson({}, credentialMetadata(token), done),
    );
    const json = JSON.parse(body.data.toString());
    assert.match(json.webhooks[0].created_at, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    assert.equal(json.webhooks[0].disabled_at, null);
    assert.equal(body.data.includes('secret'), false);
    await remove(webhook?.id ?? '');
  });

  it('reports each invalid field of a webhook registration', async () => {
    const wrong = wish({
      url: 'https://192.0.2.1/hook',
      servers: [{ gameId: 'csgo', servers: [SERVER, '127.0.0.1:1', 'nonsense'] }],
      events: [{ event: 'explodes' }, { event: 'map', for: '3m' }],
      cooldown: '2d',
      form: 'xml',
      oneMessage: true,
    });
    const { ours } = await failure(done => open.createWebhook(wrong, credentialMetadata(token), done));
    assert.equal(ours?.code, 'POST_2');
    assert.deepEqual(ours?.details.violations?.map(({ path }) => path).sort(), [
      'cooldown',
      'events[0].event',
      'events[1].for',
      'form',
      'one_message',
      'servers[0].servers[1]',
      'servers[0].servers[2]',
      'url',
    ]);
  });

  it('refuses unsafe webhook URLs, such as URLs with a private address', async () => {
    const urls = [
      'ftp://hooks.example/',
      'https://user:password@hooks.example/',
      'https://hooks.example:22/',
      'https://hooks.example:6379/',
      'https://10.0.0.1/',
      'https://0xa.1/',
      'https://[::ffff:10.0.0.1]/',
      'http://198.51.100.1:8080/',
      `https://hooks.example/${'x'.repeat(2_100)}`,
    ];
    for (const url of urls) {
      const { ours } = await failure(done =>
        open.createWebhook(wish({ url }), credentialMetadata(token), done),
      );
      assert.deepEqual([ours?.code, ours?.details.violations?.[0]?.path], ['POST_2', 'url'], url);
    }
  });

  it('lets a token see and change only its own webhooks', async () => {
    const { webhook } = await create(wish());
    const id = webhook?.id ?? '';
    const { ours } = await failure(done => open.getWebhook({ id }, credentialMetadata(other), done));
    assert.equal(ours?.code, 'HOOK_1');
    for (const call of ['deleteWebhook', 'testWebhook', 'listDeliveries'] as const)
      assert.equal(
        (await failure(done => open[call]({ id }, credentialMetadata(other), done))).ours?.code,
        'HOOK_1',
      );
    const listed = await unary<ListWebhooksResponse__Output>(done =>
      open.listWebhooks({ tokenId: token.id }, credentialMetadata(other), done),
    );
    assert.deepEqual(listed.webhooks, []);
    assert.equal((await failure(done => open.listWebhooks({}, new Metadata(), done))).ours?.code, 'AUTH_1');
    await remove(id);
  });

  it('lets a FREE token register at most ten webhooks, even if it sends twelve requests at the same time', async () => {
    const created = await Promise.allSettled(Array.from({ length: 12 }, () => create(wish())));
    const made = created.flatMap(each => (each.status === 'fulfilled' ? [each.value.webhook?.id ?? ''] : []));
    assert.equal(made.length, 10);
    const { ours } = await failure(done => open.createWebhook(wish(), credentialMetadata(token), done));
    assert.equal(ours?.code, 'HOOK_2');
    for (const id of made) await remove(id);
  });

  it('lets an operator manage the webhooks of all tokens', async () => {
    const missing = await failure(done => internal.createWebhook(wish(), operator(), done));
    assert.equal(missing.ours?.code, 'ADMIN_1');
    const { webhook } = await create(wish({ tokenId: other.id }), operator(), internal);
    assert.equal(webhook?.tokenId, other.id);
    const listed = await unary<ListWebhooksResponse__Output>(done =>
      internal.listWebhooks({}, operator(), done),
    );
    assert.ok(listed.webhooks.some(({ id }) => id === webhook?.id));
    await unary(done => internal.deleteWebhook({ id: webhook?.id ?? '' }, operator(), done));
    const acts = log.lines.filter(line => line.audit === true && /Webhook/.test(String(line.act)));
    assert.deepEqual(
      acts.map(({ act, outcome }) => [act, outcome]),
      [
        ['CreateWebhook', 'ADMIN_1'],
        ['CreateWebhook', 'OK'],
        ['DeleteWebhook', 'OK'],
      ],
    );
    assert.deepEqual(acts[1]?.object, { webhook_id: webhook?.id, token_id: other.id });
  });

  it('passes a test delivery to a waiting notifier (the process that sends webhooks), and adds the result to the log of the webhook', async () => {
    const { webhook } = await create(wish());
    const id = webhook?.id ?? '';
    const lease = unary<LeaseDeliveriesResponse__Output>(done =>
      notify.leaseDeliveries({ maxDeliveries: 10, waitMs: 20_000 }, operator(), done),
    );
    const { deliveryId } = await unary<TestWebhookResponse__Output>(done =>
      open.testWebhook({ id }, credentialMetadata(token), done),
    );
    const { deliveries, allowTargets } = await lease;
    assert.deepEqual(allowTargets, ['127.0.0.0/8']);
    const [delivery] = deliveries;
    assert.equal(delivery?.url, 'https://hooks.example/secret-path?key=1');
    assert.equal(delivery?.headers['webhook-id'], deliveryId);
    const result = { leaseId: delivery?.leaseId ?? 0, httpStatus: 204, durationMs: 12 };
    await unary(done => notify.reportDeliveries({ results: [result] }, operator(), done));
    const { attempts } = await unary<ListDeliveriesResponse__Output>(done =>
      open.listDeliveries({ id }, credentialMetadata(token), done),
    );
    assert.deepEqual(
      attempts.map(({ deliveryId: of, event, httpStatus, error }) => [of, event, httpStatus, error]),
      [[deliveryId, 'test', 204, '']],
    );
    await remove(id);
  });

  it('writes neither the URL nor the secret of a webhook to the log', async () => {
    const { webhook, secret } = await create(wish());
    await remove(webhook?.id ?? '');
    const text = JSON.stringify(log.lines);
    for (const hidden of ['secret-path', secret]) assert.equal(text.includes(hidden), false);
  });
});
