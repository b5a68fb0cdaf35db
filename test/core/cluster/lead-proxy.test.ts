import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type ServiceError as CallError, Metadata } from '@grpc/grpc-js';
import { Handlers } from '../../../core/rpc/handler.ts';
import { LeadProxy } from '../../../core/rpc/lead-proxy.ts';
import { callerKeys, operatorKeys, PASSED_ON_KEY } from '../../../proto/clients.ts';
import { gsqV1 } from '../../../proto/descriptors.ts';
import { until } from '../../system/until.ts';
import { failure } from '../rpc/answer.ts';
import { absentMember } from './account-cluster.ts';
import { openedPair, outcomeOf } from './call-outcome.ts';
import { asOperator, passingCore, withCredentials } from './passing-core.ts';

test('a refused caller gets the same error and metadata from the lead (the core that writes tokens) and from another core', async t => {
  const { lead, entry, credentials, tokenId } = await openedPair(t);
  await lead.tokenService.allow(tokenId, { ips: ['192.0.2.1'] });
  const wrong = { ...credentials, token: 'wrong' };
  const requests = [credentials, wrong].map(each => () => withCredentials(each));
  for (const metadata of [...requests, () => new Metadata()]) {
    const [passed, direct] = [
      await outcomeOf(entry.client.public, 'WebhookService', 'ListWebhooks', {}, metadata()),
      await outcomeOf(lead.client.public, 'WebhookService', 'ListWebhooks', {}, metadata()),
    ];
    assert.match(passed.code ?? '', /^AUTH_[134]$/);
    assert.deepEqual(passed, direct);
  }
  const metadata = withCredentials(credentials, asOperator());
  metadata.set(callerKeys.address, '192.0.2.1');
  const allowed = await outcomeOf(entry.client.webhook, 'WebhookService', 'ListWebhooks', {}, metadata);
  assert.equal(allowed.code, undefined);
});

test('a core does not forward forged metadata of a public caller, such as a false caller address', async t => {
  const { lead, entry, credentials } = await openedPair(t, true);
  const metadata = withCredentials(credentials, asOperator());
  for (const key of [
    callerKeys.address,
    callerKeys.domain,
    callerKeys.repeated,
    PASSED_ON_KEY,
    operatorKeys.user,
  ])
    metadata.set(key, 'forged');
  metadata.set('x-request-id', 'request-1');
  const { code } = await outcomeOf(entry.client.public, 'WebhookService', 'ListWebhooks', {}, metadata);
  assert.equal(code, undefined);
  const received = lead.received.at(-1)?.getMap() ?? {};
  const own = Object.entries(received).filter(([key]) => /^x-/.test(key) && !/secret|token/.test(key));
  assert.deepEqual(Object.fromEntries(own), {
    [callerKeys.address]: '127.0.0.1',
    [callerKeys.proxied]: '1',
    [PASSED_ON_KEY]: '1',
    'x-request-id': 'request-1',
  });
});

test('a call that a core forwards to the lead (the core that writes tokens) keeps its operator name and request id', async t => {
  const { lead, entry } = await openedPair(t);
  const metadata = asOperator();
  metadata.set(operatorKeys.user, 'alice');
  await outcomeOf(entry.client.admin, 'AdminService', 'ListTokens', {}, metadata);
  const [at, passed] = [entry.received.at(-1), lead.received.at(-1)];
  assert.deepEqual(passed?.get(operatorKeys.user), ['alice']);
  assert.deepEqual(passed?.get(callerKeys.address), []);
  assert.deepEqual(passed?.get('x-request-id'), at?.get('x-request-id'));
  assert.equal(passed?.get('x-request-id').length, 1);
});

test('a call that only the lead (the core that writes tokens) can answer fails with CORE_1 if the lead is missing or unreachable', async t => {
  const { world, entry } = await openedPair(t);
  for (const lead of [undefined, absentMember('away'), entry.self]) {
    world.cluster.change({ lead });
    const before = world.cluster.refreshes;
    const { code, details } = await outcomeOf(
      entry.client.admin,
      'AdminService',
      'CreateToken',
      {},
      asOperator(),
    );
    assert.equal(code, 'CORE_1');
    assert.equal((details as { retryAfterSeconds: number }).retryAfterSeconds, 1);
    assert.ok(world.cluster.refreshes > before);
  }
});

test('a core does not forward a call that another core has already forwarded', async t => {
  const { world, lead, entry } = await openedPair(t);
  const third = await passingCore(t, world, await world.join('c'));
  world.cluster.change({ lead: third.self });
  const before = lead.received.length;
  const { code } = await outcomeOf(entry.client.admin, 'AdminService', 'CreateToken', {}, asOperator());
  assert.equal(code, 'CORE_1');
  assert.equal(third.received.length, 1);
  assert.equal(lead.received.length, before);
});

test('if the caller cancels a call that was forwarded to the lead (the core that writes tokens), the lead ends the call', async t => {
  const { lead, entry } = await openedPair(t);
  const journal = lead.internal.journal.of('LeaseDeliveries');
  const request = { maxDeliveries: 1, waitMs: 20_000 };
  const cancelled = new Promise<CallError | null>(resolve => {
    const call = entry.client.notify.leaseDeliveries(request, asOperator(), resolve);
    void until(
      'the waiting call',
      () => journal.inFlight,
      n => n === 1,
    ).then(() => call.cancel());
  });
  await cancelled;
  await until(
    'the end on the lead',
    () => journal.inFlight,
    n => n === 0,
  );
  const late = failure(done =>
    entry.client.notify.leaseDeliveries(request, asOperator(), { deadline: Date.now() + 300 }, done),
  );
  assert.equal((await late).code, 4);
  await until(
    'the end on the lead',
    () => journal.inFlight,
    n => n === 0,
  );
  assert.deepEqual([...lead.defects, ...entry.defects], []);
});

test('a core without a cluster forwards no calls: LeadProxy returns the handlers of a service unchanged', () => {
  const handlers = new Handlers(
    () => {},
    () => {},
  );
  const own = { Backup: () => {} };
  const proxy = new LeadProxy(undefined, { trusted: true, proxied: false }, handlers);
  assert.equal(proxy.passOn(gsqV1.AdminService.service, own), own);
});
