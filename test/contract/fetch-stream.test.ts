import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { Metadata, status } from '@grpc/grpc-js';
import { internalMetadata } from '../../proto/clients.ts';
import type { FetchReply__Output } from '../../proto/generated/gsq/v1/FetchReply.ts';
import { fromRpcStatus } from '../../proto/service-error.ts';
import { bootstrap, INTERNAL_SECRET } from '../system/stack-settings.ts';
import { freshAddress } from './fresh-address.ts';
import { credentialMetadata, FetchConversation } from './grpc.ts';
import { postFetch } from './rest.ts';
import { online } from './scripted-prober.ts';
import { ScriptedStack } from './scripted-stack.ts';
import { createToken, type TestToken, usedBy } from './tokens.ts';

const fetchOf = (...servers: string[]) => ({ servers: [{ gameId: 'csgo', servers }] });
const codeOf = ({ error }: FetchReply__Output) => (error ? fromRpcStatus(error).code : undefined);

describe('ServerService', () => {
  let stack: ScriptedStack;
  let free: TestToken;
  before(async () => {
    stack = await ScriptedStack.start();
    free = await createToken(stack.internal);
  });
  after(() => stack.stop());

  describe('FetchStream', () => {
    it('answers many fetches over one stream, each with the id of its call', async () => {
      const conversation = new FetchConversation(stack.grpc);
      const addresses = Array.from({ length: 50 }, freshAddress);
      const calls = addresses.map((address, at) => ({ id: 1000 - at, fetch: fetchOf(address) }));
      conversation.send(...calls.slice(0, 25));
      for (const call of calls.slice(25)) conversation.send(call);
      const answered = new Map<number, string | undefined>();
      while (answered.size < calls.length) {
        const { id, fetched } = await conversation.next();
        assert.ok(!answered.has(id), `${id} was answered twice`);
        answered.set(id, Object.keys(JSON.parse(String(fetched?.body)))[0]);
      }
      await conversation.end();
      for (const { id, fetch } of calls) assert.equal(answered.get(id), fetch.servers[0]?.servers[0]);
    });

    it('answers a later call first if an earlier call of the stream still waits for a probe', async () => {
      const conversation = new FetchConversation(stack.grpc);
      const address = freshAddress();
      conversation.send({ id: 1, fetch: { ...fetchOf(address), waitMs: 5000 } });
      conversation.send({ id: 2, fetch: fetchOf(freshAddress()) });
      assert.equal((await conversation.next()).id, 2);
      stack.prober.find('csgo', address, online());
      const { id, fetched } = await conversation.next();
      assert.equal(id, 1);
      assert.match(String(fetched?.body), /"status":"online"/);
      await conversation.end();
    });

    it('answers with the same bytes as REST', async () => {
      const address = freshAddress();
      const conversation = new FetchConversation(stack.grpc);
      conversation.send({ id: 1, fetch: fetchOf(address, 'nonsense') });
      await conversation.next();
      conversation.send({ id: 2, fetch: fetchOf(address, 'nonsense') });
      const { fetched } = await conversation.next();
      await conversation.end();
      const rest = await postFetch(stack.http, [{ game_id: 'csgo', servers: [address, 'nonsense'] }]);
      assert.equal(String(fetched?.body), rest.text);
      assert.equal(fetched?.gzipped, false);
    });

    it('uses the credentials of the call, or those of the stream if the call has none', async () => {
      const conversation = new FetchConversation(stack.grpc, credentialMetadata(free));
      const { token, tier, email } = bootstrap;
      conversation.send({ id: 1, fetch: {} });
      const own = await conversation.next();
      conversation.send({ id: 2, fetch: {}, credentials: { token, tier, email } });
      const other = await conversation.next();
      conversation.send({ id: 3, fetch: {}, credentials: { token: 'x', tier, email } });
      const wrong = await conversation.next();
      await conversation.end();
      assert.deepEqual(
        [own, other, wrong].map(reply => reply.allowances.map(({ policy }) => policy)),
        [['day', 'burst'], ['burst'], []],
      );
      assert.deepEqual([codeOf(own), codeOf(other), codeOf(wrong)], [undefined, undefined, 'AUTH_3']);
    });

    it('sends an error for a single call, and still answers later calls of the stream', async () => {
      const conversation = new FetchConversation(stack.grpc, new Metadata());
      conversation.send({ id: 1, fetch: {} });
      const refused = await conversation.next();
      assert.equal(codeOf(refused), 'AUTH_1');
      assert.equal(refused.error?.code, status.UNAUTHENTICATED);
      const { token, tier, email } = bootstrap;
      const many = fetchOf(...Array.from({ length: 1001 }, () => '127.0.0.1:27015'));
      conversation.send({ id: 2, credentials: { token, tier, email }, fetch: many });
      assert.equal(codeOf(await conversation.next()), 'POST_3');
      conversation.send({ id: 3, credentials: { token, tier, email }, fetch: fetchOf(freshAddress()) });
      assert.equal((await conversation.next()).outcome, 'fetched');
      await conversation.end();
    });

    it('does not charge the quota of a token for a call that only checks credentials', async () => {
      const before = await usedBy(stack.internal, free.id);
      const conversation = new FetchConversation(stack.grpc, credentialMetadata(free));
      conversation.send({ id: 1, check: {} });
      const { outcome, allowances } = await conversation.next();
      assert.equal(outcome, 'checked');
      assert.equal(allowances[0]?.remaining, 1440 - before);
      await conversation.end();
      assert.equal(await usedBy(stack.internal, free.id), before);
    });

    it('uses the caller address from the call on the internal port, but ignores this address on the public port', async () => {
      const { token, tier, email } = await createToken(stack.internal, { allowIps: ['10.0.0.0/8'] });
      const caller = { address: '10.1.2.3', domain: '' };
      const call = { id: 1, credentials: { token, tier, email }, caller, fetch: {} };
      const outcomes: [string, string | undefined][] = [
        [stack.grpc, 'AUTH_4'],
        [stack.internal, undefined],
      ];
      for (const [address, code] of outcomes) {
        const conversation = new FetchConversation(address, internalMetadata(INTERNAL_SECRET));
        conversation.send(call);
        assert.equal(codeOf(await conversation.next()), code);
        await conversation.end();
      }
    });
  });
});
