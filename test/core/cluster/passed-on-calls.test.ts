import assert from 'node:assert/strict';
import { test } from 'node:test';
import { accountKeys, callerKeys } from '../../../proto/clients.ts';
import type { BackupResponse__Output } from '../../../proto/generated/gsq/v1/BackupResponse.ts';
import { ServiceError } from '../../../proto/service-error.ts';
import { until } from '../../system/until.ts';
import { Inbox, unary } from '../rpc/answer.ts';
import { openedPair, outcomeOf } from './call-outcome.ts';
import { asOperator, withCredentials } from './passing-core.ts';

const hook = { url: 'https://hooks.example/a', game: 'csgo', events: [{ event: 'offline' }] };

test('an operator can manage tokens through any core, not only through the core that writes them', async t => {
  const { lead, entry } = await openedPair(t);
  const call = (method: string, request: object) =>
    outcomeOf(entry.client.admin, 'AdminService', method, request, asOperator());
  const created = await call('CreateToken', { tier: 'PRO', email: 'bob@example.com' });
  const { id } = (created.answer as { token: { id: string } }).token;
  assert.equal(lead.tokens.get(id)?.tier, 'PRO');
  await call('RotateToken', { id });
  assert.equal(lead.tokens.get(id)?.secrets.length, 2);
  await call('AllowToken', { id, ips: { entries: ['192.0.2.0/24'] } });
  assert.deepEqual(lead.tokens.get(id)?.allowIps, ['192.0.2.0/24']);
  const seconds = Math.floor(Date.UTC(2030, 0, 1) / 1000);
  await call('ExpireToken', { id, expiresAt: { seconds } });
  assert.equal(lead.tokens.get(id)?.expiresAt, seconds * 1000);
  await call('RevokeToken', { id });
  assert.ok(lead.tokens.get(id)?.revokedAt);
  for (const [method, request] of [
    ['ListTokens', {}],
    ['GetToken', { id }],
    ['GetToken', { id: 'tok_000000000000' }],
    ['ExpireToken', { id, expiresAt: { seconds: 1 } }],
  ] as const) {
    const direct = await outcomeOf(lead.client.admin, 'AdminService', method, request, asOperator());
    assert.deepEqual(await call(method, request), direct, method);
  }
});

test('all methods of WebhookService answer the same on every core, on public and internal ports', async t => {
  const { lead, entry, credentials, tokenId } = await openedPair(t);
  const caller = () => {
    const metadata = withCredentials(credentials, asOperator());
    metadata.set(callerKeys.address, '203.0.113.9');
    return metadata;
  };
  const created = await outcomeOf(entry.client.webhook, 'WebhookService', 'CreateWebhook', hook, caller());
  const { id } = (created.answer as { webhook: { id: string } }).webhook;
  assert.equal(lead.hooks.webhooks.get(id)?.tokenId, tokenId);
  assert.deepEqual(Object.keys(created.initial), Object.values(accountKeys));
  const json = await outcomeOf(
    entry.client.public,
    'WebhookService',
    'CreateWebhookJson',
    hook,
    withCredentials(credentials),
  );
  assert.match(String((json.answer as { data: Buffer }).data), /"secret":"whsec_/);
  assert.deepEqual(json.initial, { ratelimit: ['"day";r=1438;t=86400'] });
  for (const method of ['TestWebhook', 'TestWebhookJson']) {
    await outcomeOf(entry.client.webhook, 'WebhookService', method, { id }, caller());
  }
  assert.equal(lead.hooks.deliveries.countOf(id), 1);
  const reads = ['ListWebhooks', 'GetWebhook', 'ListDeliveries'];
  for (const method of reads.flatMap(name => [name, `${name}Json`])) {
    for (const request of [{ id }, { id: 'hook_0000000000000000' }]) {
      const [charged, direct] = [
        await outcomeOf(entry.client.webhook, 'WebhookService', method, request, caller()),
        await outcomeOf(lead.client.webhook, 'WebhookService', method, request, caller()),
      ];
      // The test makes the same call on two cores. Each call counts as a request of the token, so the remaining quota
      // in the initial metadata differs.
      assert.deepEqual({ ...charged, initial: 0 }, { ...direct, initial: 0 }, method);
      assert.deepEqual(Object.keys(charged.initial), Object.keys(direct.initial));
      const [open, openDirect] = [
        await outcomeOf(entry.client.public, 'WebhookService', method, request, withCredentials(credentials)),
        await outcomeOf(lead.client.public, 'WebhookService', method, request, withCredentials(credentials)),
      ];
      assert.deepEqual({ ...open, initial: 0 }, { ...openDirect, initial: 0 }, method);
      assert.deepEqual(Object.keys(open.initial), ['ratelimit']);
    }
  }
  for (const method of ['DeleteWebhook', 'DeleteWebhookJson'])
    await outcomeOf(entry.client.public, 'WebhookService', method, { id }, withCredentials(credentials));
  assert.equal(lead.hooks.webhooks.get(id), undefined);
  assert.deepEqual([...lead.defects, ...entry.defects], []);
});

test('a notifier (the process that sends webhooks) can get and report deliveries through any core, not only through the core that manages webhooks', async t => {
  const { lead, entry, tokenId } = await openedPair(t);
  const { webhook } = entry.client;
  const created = await outcomeOf(
    webhook,
    'WebhookService',
    'CreateWebhook',
    { ...hook, tokenId },
    asOperator(),
  );
  const { id } = (created.answer as { webhook: { id: string } }).webhook;
  const { notify } = entry.client;
  const leased = unary<{ deliveries: { leaseId: number }[] }>(done =>
    notify.leaseDeliveries({ maxDeliveries: 1, waitMs: 20_000 }, asOperator(), done),
  );
  await until(
    'the waiting call',
    () => lead.internal.journal.of('LeaseDeliveries').inFlight,
    n => n === 1,
  );
  await outcomeOf(webhook, 'WebhookService', 'TestWebhook', { id }, asOperator());
  const { deliveries } = await leased;
  const results = deliveries.map(({ leaseId }) => ({ leaseId, httpStatus: 200 }));
  await unary(done => notify.reportDeliveries({ results }, asOperator(), done));
  assert.deepEqual(
    lead.hooks.attemptsOf(id).map(({ httpStatus }) => httpStatus),
    [200],
  );
});

test('a core that passes on a backup call returns the bytes and errors of the other core', async t => {
  const { lead, entry } = await openedPair(t);
  const chunks = Array.from({ length: 100 }, (_, i) => Buffer.alloc(64 * 1024, i));
  lead.backup.source = async function* () {
    yield* chunks;
  };
  const whole = new Inbox<BackupResponse__Output>(entry.client.admin.backup({}, asOperator()));
  assert.equal(await whole.over, undefined);
  assert.deepEqual(Buffer.concat(whole.messages.map(({ lines }) => lines)), Buffer.concat(chunks));

  lead.backup.source = async function* () {
    yield Buffer.from('one');
    throw new ServiceError('CORE_1', 'the backup failed', { retryAfterSeconds: 7 });
  };
  const failed = new Inbox<BackupResponse__Output>(entry.client.admin.backup({}, asOperator()));
  const ending = await failed.over;
  assert.equal(failed.messages.length, 1);
  assert.deepEqual([ending?.ours?.code, ending?.ours?.details.retryAfterSeconds], ['CORE_1', 7]);

  const ended = new Promise<void>(resolve => {
    lead.backup.source = async function* () {
      try {
        for (;;) yield Buffer.alloc(64 * 1024);
      } finally {
        resolve();
      }
    };
  });
  const call = entry.client.admin.backup({}, asOperator());
  const endless = new Inbox<BackupResponse__Output>(call);
  await endless.until(messages => messages.length > 2);
  call.cancel();
  await endless.over;
  await ended;
  assert.deepEqual([...lead.defects, ...entry.defects], []);
});
