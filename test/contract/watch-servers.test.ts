import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { Metadata } from '@grpc/grpc-js';
import { clients } from '../../proto/clients.ts';
import type { WatchServersResponse__Output } from '../../proto/generated/gsq/v1/WatchServersResponse.ts';
import { freshAddress, freshPort } from './fresh-address.ts';
import { credentialMetadata, deadline, failure } from './grpc.ts';
import { noReply, online } from './scripted-prober.ts';
import { ScriptedStack } from './scripted-stack.ts';
import { createToken, type TestToken, usedBy } from './tokens.ts';

describe('ServerService streams', () => {
  let stack: ScriptedStack;
  let free: TestToken;
  before(async () => {
    stack = await ScriptedStack.start();
    free = await createToken(stack.internal);
  });
  after(() => stack.stop());

  describe('WatchServers', () => {
    /** Opens a WatchServers stream. `next` returns the next message. `end` cancels the stream. */
    const watch = (servers: string[], metadata = credentialMetadata()) => {
      const client = clients.server(stack.grpc);
      const stream = client.watchServers({ servers: [{ gameId: 'csgo', servers }] }, metadata, deadline());
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
      stack.prober.find('csgo', address, online(5));
      const { change } = await next();
      assert.deepEqual(
        [change?.gameId, change?.server, change?.updater?.status, change?.payload?.players],
        ['csgo', address, 'SERVER_STATUS_ONLINE', 5],
      );
      stack.prober.find('csgo', address, noReply);
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
      stack.prober.find('csgo', `127.0.0.1:${port}`, online());
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
