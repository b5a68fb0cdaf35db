import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import { LINK_ID_KEY } from '../../../proto/clients.ts';
import type { FetchCall } from '../../../proto/generated/gsq/v1/FetchCall.ts';
import type { FetchReply__Output } from '../../../proto/generated/gsq/v1/FetchReply.ts';
import type { FetchStreamResponse__Output } from '../../../proto/generated/gsq/v1/FetchStreamResponse.ts';
import { Inbox } from './answer.ts';
import { errorOf, fetchOf, LONG_MS } from './opened-stream.ts';
import { type RunningCoreOptions, runningCore } from './running-core.ts';

const DAY_QUOTA = 1440;

/**
 * Starts a core. `open` opens a FetchStream with a link id (the random id of a gateway process), and returns the stream
 * and `send`. `send` makes a call and resolves to its reply.
 */
async function startedCore(t: TestContext, options: RunningCoreOptions = {}) {
  const core = await runningCore(t, options);
  const { id: tokenId, metadata } = await core.token();
  const open = (linkId: string) => {
    const own = metadata.clone();
    own.set(LINK_ID_KEY, linkId);
    const stream = core.client.server.fetchStream(own);
    t.after(() => stream.cancel());
    const inbox = new Inbox<FetchStreamResponse__Output>(stream);
    const replyTo = (id: number) =>
      inbox.messages.flatMap(({ replies }) => replies).find(reply => reply.id === id);
    const send = async (call: FetchCall & { id: number }): Promise<FetchReply__Output> => {
      stream.write({ calls: [call] });
      await inbox.until(() => replyTo(call.id) !== undefined);
      return replyTo(call.id) as FetchReply__Output;
    };
    return { stream, send };
  };
  return { ...core, tokenId, open, used: () => core.quota.used(tokenId) };
}

const bodyOf = ({ fetched }: FetchReply__Output) => JSON.parse(String(fetched?.body));

describe('a call that a gateway repeats on a new stream', () => {
  test('counts only once against the daily quota if both streams belong to the same gateway', async t => {
    const { open, used, track } = await startedCore(t);
    await track('1.2.3.4:27015');
    const call = { id: 7, fetch: fetchOf(['1.2.3.4:27015']) };
    const first = bodyOf(await open('a').send(call));
    assert.deepEqual(bodyOf(await open('a').send(call)), first);
    assert.equal(used(), 1);
    await open('b').send(call);
    assert.equal(used(), 2);
  });

  test('counts again against the daily quota if it arrives at the public port', async t => {
    const { open, used } = await startedCore(t, { trusted: false });
    const call = { id: 7, fetch: fetchOf(['1.2.3.4:27015']) };
    await open('a').send(call);
    await open('a').send(call);
    assert.equal(used(), 2);
  });

  test('gets the same reply as the original call', async t => {
    const { open } = await startedCore(t);
    const call = { id: 7, fetch: fetchOf(['1.2.3.4:27015', '1.2.3.4:27016', 'nonsense']) };
    const first = bodyOf(await open('a').send(call));
    assert.equal(first._meta.auto_inserted, 2);
    assert.deepEqual(bodyOf(await open('a').send(call)), first);
  });

  test('gets the list of inserted servers even if the original call is still running', async t => {
    const { open, joinProber, used } = await startedCore(t);
    const call = { id: 7, fetch: fetchOf(['1.2.3.4:27015'], LONG_MS) };
    const lost = open('a');
    lost.send(call);
    // Waits for the reply to call 8. The core starts calls in order, so it has then started call 7 too. Call 7 has no
    // reply yet, because it waits for a probe.
    await lost.send({ id: 8, fetch: fetchOf([]) });
    lost.stream.cancel();
    const repeated = open('a').send(call);
    joinProber();
    const { _meta, ...servers } = bodyOf(await repeated);
    assert.equal(_meta.auto_inserted, 1);
    assert.equal(servers['1.2.3.4:27015']._updater.status, 'online');
    assert.equal(used(), 2);
  });

  test('is answered even if the original call used up the daily quota', async t => {
    const { open, quota, tokenId } = await startedCore(t);
    for (let i = 1; i < DAY_QUOTA; i++) quota.charge(tokenId);
    const call = { id: 7, fetch: fetchOf([]) };
    assert.equal(errorOf(await open('a').send(call)), undefined);
    assert.equal(errorOf(await open('a').send(call)), undefined);
    assert.equal(errorOf(await open('a').send({ ...call, id: 8 }))?.code, 'QUOTA_1');
  });

  test('is answered even if the original call used up the rate limit of the token', async t => {
    const { open } = await startedCore(t, { burstLimit: 1 });
    const call = { id: 7, fetch: fetchOf([]) };
    assert.equal(errorOf(await open('a').send(call)), undefined);
    assert.equal(errorOf(await open('a').send(call)), undefined);
  });
});

test('the core answers calls that the gateway queued while the core was unavailable, even if they exceed the rate limit of the token', async t => {
  const { open } = await startedCore(t, { burstLimit: 1 });
  const { send } = open('a');
  for (let id = 1; id <= 3; id++) await send({ id, fetch: fetchOf([]) });
  assert.equal(errorOf(await send({ id: 4, fetch: fetchOf([]), held: true })), undefined);
});
