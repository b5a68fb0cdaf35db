import assert from 'node:assert/strict';
import { Writable } from 'node:stream';
import { test } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import { GameReader, KeysReader } from '../../../core/feed/feed-reader.ts';
import { resumedSequence } from '../../../core/feed/resume-token.ts';
import { ChangeStream } from '../../../core/rpc/change-stream.ts';
import { newRecord } from '../../../core/servers/record-status.ts';
import { ServiceError } from '../../../proto/service-error.ts';
import { feedOf } from '../feed/feed-of.ts';

const servers = Array.from({ length: 10 }, (_, i) =>
  newRecord('csgo', `1.2.3.4:${i}`, 'tok_1', 1000, 60_000),
);

/** Starts a stream of changes to a slow caller. Each call of `read` reads one message, and resolves to it. */
function slowStream(heartbeatMs: number) {
  const feed = feedOf();
  const waiting: { message: string; sent: () => void }[] = [];
  let heard = (): void => {};
  const call = new Writable({
    objectMode: true,
    write(message: string, _, sent) {
      waiting.push({ message, sent });
      heard();
    },
  });
  let end = (): void => {};
  let refuse: (error: ServiceError) => void = () => {};
  const over = new Promise<void>((resolve, reject) => {
    end = resolve;
    refuse = reject;
  });
  const stream = new ChangeStream<string>({
    call,
    over,
    feed,
    follow: (since, wake) =>
      new KeysReader(
        feed,
        servers.map(({ key }) => key),
        since,
        wake,
      ),
    messages: {
      async *snapshot() {
        yield ['snapshot'];
      },
      change: key => [key],
      heartbeat: () => 'heartbeat',
    },
    resumeToken: '',
    heartbeatMs,
  });
  const read = async (): Promise<string> => {
    while (waiting.length === 0) {
      await new Promise<void>(resolve => {
        heard = resolve;
      });
    }
    const [next] = waiting.splice(0);
    next?.sent();
    return next?.message ?? '';
  };
  return { feed, call, read, end: () => end(), refuse, over: stream.run() };
}

test('if a caller stops reading, its stream of changes queues no changes, and later sends each changed server only once', async () => {
  const { feed, call, read, end, over } = slowStream(60_000);
  for (let n = 0; n < 10_000; n++) {
    const server = servers[n % servers.length];
    assert.ok(server);
    feed.publishInsert(server);
  }
  assert.equal(await read(), 'snapshot');
  assert.ok(call.writableLength <= 1);
  for (const server of servers) assert.equal(await read(), server.key);
  end();
  await over;
  assert.equal(call.writableLength, 0);
});

test('a stream of changes ends with the error CORE_1 if the caller reads nothing for four heartbeat intervals', async () => {
  const { over } = slowStream(1);
  await assert.rejects(over, (error: unknown) => {
    assert.ok(error instanceof ServiceError);
    assert.equal(error.code, 'CORE_1');
    assert.match(error.message, /resume token/);
    return true;
  });
});

test('a change stream ends with an error when its caller loses access, even if the caller reads nothing', async () => {
  const waiting = slowStream(60_000);
  waiting.refuse(new ServiceError('AUTH_3', 'revoked'));
  await assert.rejects(waiting.over, { code: 'AUTH_3' });
  const idle = slowStream(60_000);
  assert.equal(await idle.read(), 'snapshot');
  idle.refuse(new ServiceError('AUTH_3', 'revoked'));
  await assert.rejects(idle.over, { code: 'AUTH_3' });
});

test('a stream of changes sends heartbeats while its servers do not change', async () => {
  const { read, end, over } = slowStream(1);
  assert.equal(await read(), 'snapshot');
  for (let n = 0; n < 3; n++) assert.equal(await read(), 'heartbeat');
  end();
  await over;
});

test('a change stream also sends new changes during a long snapshot, and starts no second snapshot even after many changes', async () => {
  const feed = feedOf(8);
  const state = new Map(servers.map(({ key }) => [key, 0]));
  const sent: { key: string; state: number; token: string }[] = [];
  let end = (): void => {};
  let finished = (): void => {};
  const isFinished = new Promise<void>(resolve => {
    finished = resolve;
  });
  const publish = (count: number): void => {
    for (let n = 0; n < count; n++) {
      const server = servers[(feed.sequence * 3) % servers.length];
      assert.ok(server);
      state.set(server.key, (state.get(server.key) ?? 0) + 1);
      feed.publishInsert(server);
    }
  };
  /** For each server, returns the newest state that the stream has sent. */
  const newest = () => new Map(sent.map(({ key, state }) => [key, state]));
  const messageOf = (key: string, token: string) => ({ key, state: state.get(key) ?? 0, token });
  const stream = new ChangeStream<(typeof sent)[number]>({
    call: new Writable({
      objectMode: true,
      write(message, _, done) {
        sent.push(message);
        if (sent.some(({ token }) => token !== '') && isDeepStrictEqual(newest(), state)) finished();
        setImmediate(done);
      },
    }),
    over: new Promise<void>(resolve => {
      end = resolve;
    }),
    feed,
    follow: (since, wake) => new GameReader(feed, 'csgo', () => true, since, wake),
    messages: {
      async *snapshot(token) {
        for (const [i, { key }] of servers.entries()) {
          publish(4);
          yield [messageOf(key, i === servers.length - 1 ? token() : '')];
        }
      },
      change: (key, token) => [messageOf(key, token)],
      heartbeat: token => messageOf('heartbeat', token),
    },
    resumeToken: '',
    heartbeatMs: 60_000,
  });
  const over = stream.run();
  await Promise.race([isFinished, over]);
  end();
  await over;
  assert.equal(feed.sequence, 4 * servers.length);
  const last = sent.findIndex(({ token }) => token !== '');
  assert.ok(last > servers.length, 'changes are sent between the parts');
  assert.ok(resumedSequence(feed, sent[last]?.token ?? '') !== undefined, 'the stream can be resumed');
});
