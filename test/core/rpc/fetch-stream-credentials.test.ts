import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FREE_DAY_QUOTA } from '../../../core/access/allowance.ts';
import { credentialKeys } from '../../../proto/clients.ts';
import type { FetchStreamResponse__Output } from '../../../proto/generated/gsq/v1/FetchStreamResponse.ts';
import { Inbox } from './answer.ts';
import { errorOf, fetchOf, openedStream } from './opened-stream.ts';
import { runningCore } from './running-core.ts';

test('a call of CheckAccess (it only checks credentials) does not count against the daily quota', async t => {
  const { ask, id, quota } = await openedStream(t);
  const [reply] = await ask({ check: {} });
  assert.equal(reply?.outcome, 'checked');
  assert.equal(reply?.allowances[0]?.remaining, FREE_DAY_QUOTA);
  assert.equal(quota.used(id), 0);
});

test('the credentials in a call on a stream replace the credentials of the stream, but only for this call', async t => {
  const { ask, token, quota, id } = await openedStream(t);
  const { id: otherId, metadata } = await token({ tier: 'PRO', email: 'bob@example.com' });
  const other = {
    token: String(metadata.get(credentialKeys.token)[0]),
    tier: 'PRO',
    email: 'bob@example.com',
  };
  const fetch = fetchOf(['1.2.3.4:27015']);
  const [own, streams, none] = await ask(
    { fetch, credentials: other },
    { fetch },
    { fetch, credentials: { token: '', tier: '', email: '' } },
  );
  assert.deepEqual([own?.outcome, streams?.outcome, errorOf(none)?.code], ['fetched', 'fetched', 'AUTH_1']);
  assert.deepEqual([quota.used(otherId), quota.used(id)], [1, 1]);
  assert.deepEqual(none?.allowances, []);
});

for (const trusted of [true, false]) {
  test(`the ${trusted ? 'internal port uses' : 'public port ignores'} the caller address in a call on a stream`, async t => {
    const { token, client } = await runningCore(t, { trusted });
    const { metadata } = await token({ allowIps: ['198.51.100.0/24'] });
    const stream = client.server.fetchStream(metadata);
    t.after(() => stream.cancel());
    const inbox = new Inbox<FetchStreamResponse__Output>(stream);
    stream.write({ calls: [{ id: 1, check: {}, caller: { address: '198.51.100.7', domain: '' } }] });
    await inbox.until(messages => messages.length === 1);
    const [reply] = inbox.messages[0]?.replies ?? [];
    assert.equal(errorOf(reply)?.code, trusted ? undefined : 'AUTH_4');
  });
}

test('if a call on a stream has no field `caller`, the core takes the caller address from the connection', async t => {
  const { client, token } = await runningCore(t);
  const { metadata } = await token({ allowIps: ['127.0.0.1'] });
  const stream = client.server.fetchStream(metadata);
  t.after(() => stream.cancel());
  const inbox = new Inbox<FetchStreamResponse__Output>(stream);
  stream.write({ calls: [{ id: 1, check: {} }] });
  await inbox.until(messages => messages.length === 1);
  assert.equal(inbox.messages[0]?.replies[0]?.outcome, 'checked');
});
