import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { Metadata, status } from '@grpc/grpc-js';
import { clients, internalMetadata } from '../../proto/clients.ts';
import type { FetchReply__Output } from '../../proto/generated/gsq/v1/FetchReply.ts';
import type { WatchServersResponse__Output } from '../../proto/generated/gsq/v1/WatchServersResponse.ts';
import { fromRpcStatus } from '../../proto/service-error.ts';
import { Stack } from '../system/stack.ts';
import { bootstrap, INTERNAL_SECRET } from '../system/stack-settings.ts';
import { freshAddress, freshPort } from './fresh-address.ts';
import { credentialMetadata, deadline, FetchConversation, failure } from './grpc.ts';
import { postFetch } from './rest.ts';
import { noReply, online, ScriptedProber } from './scripted-prober.ts';
import { createToken, type TestToken, usedBy } from './tokens.ts';

const fetchOf = (...servers: string[]) => ({ servers: [{ gameId: 'csgo', servers }] });
const codeOf = ({ error }: FetchReply__Output) => (error ? fromRpcStatus(error).code : undefined);

describe('ServerService streams', () => {
  let stack: Stack;
  let prober: ScriptedProber;
  let free: TestToken;
  before(async () => {
    stack = await Stack.start({ processes: ['core', 'gateway'] });
    prober = new ScriptedProber(stack.internal);
    free = await createToken(stack.internal);
  });
  after(async () => {
    prober.leave();
    await stack.stop();
  });

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

    it('sends each answer as soon as it is ready, even before the answer to an earlier call', async () => {
      const conversation = new FetchConversation(stack.grpc);
      const address = freshAddress();
      conversation.send({ id: 1, fetch: { ...fetchOf(address), waitMs: 5000 } });
      conversation.send({ id: 2, fetch: fetchOf(freshAddress()) });
      assert.equal((await conversation.next()).id, 2);
      prober.find('csgo', address, online());
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

    it('answers a check of credentials and quota without charging a request', async () => {
      const before = await usedBy(stack.internal, free.id);
      const conversation = new FetchConversation(stack.grpc, credentialMetadata(free));
      conversation.send({ id: 1, check: {} });
      const { outcome, allowances } = await conversation.next();
      assert.equal(outcome, 'checked');
      assert.equal(allowances[0]?.remaining, 1440 - before);
      await conversation.end();
      assert.equal(await usedBy(stack.internal, free.id), before);
    });

    it('trusts the caller address in a call on the internal port, but not on the public port', async () => {
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

  describe('WatchServers', () => {
    /** Opens a WatchServers stream. `next` returns the next message. `end` cancels the stream. */
    const watch = (servers: string[], metadata = credentialMetadata()) => {
      const client = clients.server(stack.grpc);
      const stream = client.watchServers(fetchOf(...servers), metadata, deadline());
      const messages: AsyncIterator<WatchServersResponse__Output> = stream[Symbol.asyncIterator]();
      const next = async (): Promise<WatchServersResponse__Output> => {
        const { done, value } = await messages.next();
        assert.ok(!done, 'the stream ended');
        return value;
      };
      const end = () => {
        stream.on('error', () => {});
        stream.cancel();
        client.close();
      };
      return { next, end };
    };

    it('sends a snapshot of all servers first, and a message for each change afterwards', async () => {
      const [address, other] = [freshAddress(), freshAddress()];
      const { next, end } = watch([address, other, 'nonsense']);
      const { event, snapshot } = await next();
      assert.equal(event, 'snapshot');
      assert.deepEqual(
        snapshot?.results.map(({ server, updater }) => [server, updater?.status]),
        [
          [address, 'SERVER_STATUS_PENDING'],
          [other, 'SERVER_STATUS_PENDING'],
          ['nonsense', 'SERVER_STATUS_INVALID'],
        ],
      );
      assert.equal(snapshot?.meta?.autoInserted, 2);
      prober.find('csgo', address, online(5));
      const { change } = await next();
      assert.deepEqual(
        [change?.gameId, change?.server, change?.updater?.status, change?.payload?.players],
        ['csgo', address, 'SERVER_STATUS_ONLINE', 5],
      );
      prober.find('csgo', address, noReply);
      const seen = (await next()).change;
      assert.deepEqual(
        [seen?.server, seen?.updater?.status, seen?.updater?.reason, seen?.payload?.players],
        [address, 'SERVER_STATUS_ONLINE', '', 5],
        'one failure alone keeps it online',
      );
      end();
    });

    it('sends changes with the address exactly as the watcher wrote it', async () => {
      const port = freshPort();
      const { next, end } = watch([`[::ffff:127.0.0.1]:${port}`]);
      await next();
      prober.find('csgo', `127.0.0.1:${port}`, online());
      assert.equal((await next()).change?.server, `[::ffff:127.0.0.1]:${port}`);
      end();
    });

    it('charges one request to the quota of the token', async () => {
      const before = await usedBy(stack.internal, free.id);
      const { next, end } = watch([freshAddress()], credentialMetadata(free));
      await next();
      assert.equal(await usedBy(stack.internal, free.id), before + 1);
      end();
    });

    it('answers UNAUTHENTICATED with AUTH_1 if the call has no credentials', async () => {
      const { next, end } = watch([freshAddress()], new Metadata());
      const { code, reason } = await failure(next());
      assert.deepEqual([code, reason], ['UNAUTHENTICATED', 'AUTH_1']);
      end();
    });
  });
});
