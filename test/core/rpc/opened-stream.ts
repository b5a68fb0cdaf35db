import type { TestContext } from 'node:test';
import type { FetchCall } from '../../../proto/generated/gsq/v1/FetchCall.ts';
import type { FetchReply__Output } from '../../../proto/generated/gsq/v1/FetchReply.ts';
import type { FetchStreamResponse__Output } from '../../../proto/generated/gsq/v1/FetchStreamResponse.ts';
import { fromRpcStatus } from '../../../proto/service-error.ts';
import { Inbox } from './answer.ts';
import { type RunningCoreOptions, runningCore } from './running-core.ts';

/** Time for which a fetch waits, ms. It is longer than any test needs. */
export const LONG_MS = 5_000;

/** Returns a fetch request for servers of the game csgo. */
export const fetchOf = (servers: string[], waitMs = 0) => ({
  servers: [{ gameId: 'csgo', servers }],
  waitMs,
});

/** Starts a core, creates a token, and opens a fetch stream with this token. */
export async function openedStream(t: TestContext, options: RunningCoreOptions = {}) {
  const core = await runningCore(t, options);
  const { id, metadata } = await core.token();
  const stream = core.client.server.fetchStream(metadata);
  t.after(() => stream.cancel());
  const inbox = new Inbox<FetchStreamResponse__Output>(stream);
  const replies = (): FetchReply__Output[] => inbox.messages.flatMap(message => message.replies);
  return {
    ...core,
    id,
    stream,
    inbox,
    replies,
    /**
     * Sends one message that contains calls with the ids 1, 2, 3 and so on. Resolves to their replies, sorted by id.
     */
    async ask(...calls: Omit<FetchCall, 'id'>[]): Promise<FetchReply__Output[]> {
      const before = replies().length;
      stream.write({ calls: calls.map((call, i) => ({ ...call, id: i + 1 })) });
      await inbox.until(() => replies().length >= before + calls.length);
      return replies()
        .slice(before)
        .sort((a, b) => a.id - b.id);
    },
  };
}

/** Returns the ServiceError in a reply, or undefined if the call succeeded. */
export const errorOf = (reply: FetchReply__Output | undefined) =>
  reply?.error ? fromRpcStatus(reply.error) : undefined;
