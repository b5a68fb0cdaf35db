import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import type { Metadata } from '@grpc/grpc-js';
import type { HttpBody__Output } from '../../../proto/generated/google/api/HttpBody.ts';
import type { WatchServersJsonRequest } from '../../../proto/generated/gsq/v1/WatchServersJsonRequest.ts';
import { Inbox } from './answer.ts';
import { runningCore } from './running-core.ts';

/** Address of a game server that the tests watch. */
export const ADDRESS = '1.2.3.4:27015';

/** A server in an event of WatchServersJson: the fields that the tests read. */
export interface Listed {
  game_id: string;
  server: string;
  tracked?: boolean;
  name?: string;
  _updater?: { status: string };
}

/** An event of WatchServersJson. Each message of the stream is one line, which contains one event as JSON. */
export type Line =
  | { event: 'snapshot'; id: string; data: { servers: Listed[]; more: boolean } }
  | { event: 'change'; id: string; data: Listed }
  | { event: 'heartbeat'; id: string; data: Record<string, never> };

/**
 * Starts a core, and returns it with functions for the test. The function `open` opens a stream of WatchServersJson. It
 * returns an object for this stream, whose function `lines` returns all lines that the stream has received so far.
 */
export async function opened(t: TestContext, heartbeatMs = 60_000) {
  const core = await runningCore(t, { heartbeatMs });
  const pro = await core.token({ tier: 'PRO' });
  const open = (request: WatchServersJsonRequest, metadata: Metadata = pro.metadata) => {
    const call = core.client.server.watchServersJson(request, metadata);
    const inbox = new Inbox<HttpBody__Output>(call);
    const lines = (): Line[] =>
      inbox.messages.map(({ contentType, data }) => {
        assert.equal(contentType, 'application/x-ndjson');
        assert.ok(data.length < 1024 * 1024);
        const text = data.toString();
        assert.equal(text.indexOf('\n'), text.length - 1, 'a message is one line');
        return JSON.parse(text) as Line;
      });
    const until = async (count: number): Promise<Line[]> => {
      await inbox.until(messages => messages.length >= count);
      return lines();
    };
    return { inbox, lines, until, cancel: () => call.cancel() };
  };
  /**
   * Lets a prober report that every tracked server has the name `name`. Use a new name in each call, so that each
   * server changes.
   */
  const probeAll = async (name: string): Promise<void> => {
    core.clock.at += 120_000;
    const probed = core.feed.sequence + core.store.stats().tracked;
    const leave = core.joinProber(name);
    core.dispatcher.wake();
    while (core.feed.sequence < probed) await new Promise(setImmediate);
    leave();
  };
  return { ...core, pro, open, probeAll };
}
