import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { Writable } from 'node:stream';
import { after, before, beforeEach, describe, test } from 'node:test';
import { status } from '@grpc/grpc-js';
import { pino } from 'pino';
import { CoreLink, type CoreLinkOptions } from '../../../gateway/upstream/core-link.ts';
import { ByteWriter } from '../../../proto/codec/byte-writer.ts';
import type { FetchReply } from '../../../proto/generated/codec/fetch.ts';
import { ServiceError } from '../../../proto/service-error.ts';
import { writeGroups } from '../../../proto/streams/fetch-replies.ts';
import { createLogger, type Logger } from '../../../runtime/log.ts';
import { agreeable, ScriptedCore } from '../scripted-core.ts';

const LONG_MS = 30_000;
const log = createLogger('gateway', 'silent');

/** A logger that keeps the level and the fields of what it is told. */
function keepingLog(): { log: Logger; told: { level: string; code?: string; err?: unknown }[] } {
  const told: { level: string; code?: string; err?: unknown }[] = [];
  const keep = new Writable({
    write(line, _encoding, done) {
      told.push(JSON.parse(String(line)));
      done();
    },
  });
  return { log: pino({ formatters: { level: level => ({ level }) } }, keep), told };
}

async function failureOf(call: Promise<unknown>): Promise<ServiceError> {
  const outcome = await call.then(
    () => undefined,
    (error: unknown) => error,
  );
  assert.ok(outcome instanceof ServiceError, 'the call should have failed with a ServiceError');
  return outcome;
}

describe('link to the core', () => {
  const core = new ScriptedCore();
  const links: CoreLink[] = [];

  before(() => core.start());
  beforeEach(async () => {
    await Promise.all(links.splice(0).map(link => link.close()));
    await core.until(() => core.streams === 0);
    core.script = agreeable;
    core.messages.length = 0;
    core.secrets.length = 0;
  });
  after(async () => {
    await Promise.all(links.map(link => link.close()));
    core.stop();
  });

  async function linkTo(options: Partial<CoreLinkOptions> = {}): Promise<CoreLink> {
    const link = new CoreLink({ address: core.address, secret: 'between us', log, ...options });
    links.push(link);
    await core.until(() => core.streams === (options.streams ?? 4));
    return link;
  }

  const call = (
    link: CoreLink,
    fetch: ByteWriter | null,
    { requestId = '', timeoutMs = LONG_MS, waits = false } = {},
  ): Promise<FetchReply> =>
    new Promise((succeed, fail) => {
      const credentials = { token: '', tier: '', email: '' };
      const caller = { address: '', domain: '' };
      link.send(
        {
          id: 0,
          credentials,
          caller,
          requestId,
          fetch,
          check: fetch ? null : {},
          acceptGzip: false,
          held: false,
          traceparent: '',
        },
        timeoutMs,
        { succeed, fail },
        waits,
      );
    });
  const check = (link: CoreLink, requestId = '', timeoutMs = LONG_MS) =>
    call(link, null, { requestId, timeoutMs });
  /** A fetch of an address of so many bytes. */
  const large = (bytes: number): ByteWriter => {
    const writer = new ByteWriter();
    writeGroups(writer, [{ gameId: 'csgo', servers: ['x'.repeat(bytes)] }]);
    return writer;
  };

  test('it opens four streams and shows its secret on each', async () => {
    const link = await linkTo({ secret: 'between us' });
    assert.equal(link.connected, true);
    assert.deepEqual(core.secrets, Array(4).fill('between us'));
  });

  test('calls of one turn travel in one message', async () => {
    const link = await linkTo();
    await Promise.all([check(link, 'a'), check(link, 'b'), check(link, 'c')]);
    assert.deepEqual(
      core.messages.map(({ calls }) => calls.map(({ requestId }) => requestId)),
      [['a', 'b', 'c']],
    );
    assert.equal(new Set(core.calls.map(({ id }) => id)).size, 3);
  });

  test('a message stays small enough for the core to take it', async () => {
    const link = await linkTo();
    const half = 600 * 1024;
    await Promise.all([
      call(link, large(half), { requestId: 'a' }),
      call(link, large(half), { requestId: 'b' }),
      check(link, 'c'),
    ]);
    const sent = core.messages.map(({ calls }) => calls.map(({ requestId }) => requestId).join());
    assert.deepEqual(sent.sort(), ['a', 'b,c']);
  });

  test('real calls of 1 MiB each are all answered', async () => {
    const link = await linkTo();
    const calls = Array.from({ length: 12 }, () => call(link, large(1024 * 1024)));
    for (const reply of await Promise.all(calls)) assert.ok(reply.fetched);
  });

  test('answers find their calls in whatever order they come', async () => {
    const link = await linkTo({ streams: 1 });
    core.script = call => {
      if (call.requestId === 'late') return undefined;
      return { fetched: { body: Buffer.from(call.requestId) } };
    };
    const late = check(link, 'late', 50).catch((error: ServiceError) => error.code);
    const replies = await Promise.all(['x', 'y', 'z'].map(id => check(link, id)));
    assert.deepEqual(
      replies.map(reply => reply.fetched?.body.toString()),
      ['x', 'y', 'z'],
    );
    assert.equal(await late, 'CORE_2');
  });

  test('a call takes no answer but that of the stream it travelled on', async () => {
    const link = await linkTo({ streams: 2 });
    core.script = () => undefined;
    const first = check(link, 'first');
    await core.until(() => core.calls.length === 1);
    const second = check(link, 'second');
    await core.until(() => core.calls.length === 2);
    const ids = core.calls.map(({ id }) => id);
    core.sayOnEach(stream => ids.map(id => ({ id, fetched: { body: Buffer.of(stream) } })));
    const bodies = (await Promise.all([first, second])).map(({ fetched }) => fetched?.body[0]);
    assert.deepEqual(bodies.sort(), [0, 1]);
  });

  test('load is spread over the streams', async () => {
    const link = await linkTo();
    core.script = () => undefined;
    const calls: Promise<ServiceError>[] = [];
    for (let i = 1; i <= 4; i++) {
      calls.push(failureOf(check(link)));
      await core.until(() => core.messages.length === i);
    }
    core.endOneStream(status.UNAUTHENTICATED);
    const first = await Promise.race(calls);
    assert.equal(first.code, 'CORE_1');
    assert.equal(link.inFlight, 3);
    core.endStreams(status.UNAUTHENTICATED);
    await Promise.all(calls);
  });

  test('a call not answered in time fails with CORE_2 and is forgotten', async () => {
    const link = await linkTo();
    core.script = () => undefined;
    assert.equal((await failureOf(check(link, '', 20))).code, 'CORE_2');
    assert.equal(link.inFlight, 0);
  });

  test('an answer after the deadline is dropped and harms nothing', async () => {
    const link = await linkTo({ streams: 1 });
    core.script = () => undefined;
    await failureOf(check(link, '', 20));
    const [slow] = core.calls;
    core.script = agreeable;
    core.say({ id: slow?.id ?? 0, checked: {} });
    assert.equal((await check(link)).error, null);
  });

  test('a burst of calls is taken, a queue that stays is not until it was short', async () => {
    let now = 0;
    const link = await linkTo({ now: () => now });
    core.script = () => undefined;
    const replies = new Map<string, Promise<FetchReply>>();
    const hold = async (calls: number): Promise<void> => {
      for (let i = 0; i < calls; i++) {
        const name = String(replies.size);
        replies.set(name, check(link, name, 5 * LONG_MS));
      }
      await core.until(() => core.calls.length === replies.size);
    };
    const release = async (from: number, to: number): Promise<void> => {
      const calls = core.calls.slice(from, to);
      for (const { id } of calls) core.say({ id, checked: {} });
      await Promise.all(calls.map(({ requestId }) => replies.get(requestId)));
    };
    await hold(300);
    now = 100;
    await hold(100);
    now = 101;
    assert.equal((await failureOf(check(link))).code, 'CORE_1');
    // Room for one more than those who stay, and none for a burst.
    await release(0, 145);
    await hold(1);
    assert.equal((await failureOf(check(link))).code, 'CORE_1');
    await release(145, 274);
    await hold(300);
    assert.equal(link.inFlight, 427);
    await release(274, 701);
  });

  test('calls that wait for a probe are no queue', async () => {
    let now = 0;
    const link = await linkTo({ now: () => now });
    core.script = () => undefined;
    const held = Array.from({ length: 400 }, () => call(link, null, { waits: true }));
    now = 10_000;
    await core.until(() => core.calls.length === 400);
    const one = check(link, 'one');
    await core.until(() => core.calls.length === 401);
    for (const { id } of core.calls) core.say({ id, checked: {} });
    await Promise.all([one, ...held]);
    assert.equal(link.inFlight, 0);
  });

  test('more calls than the cap fail at once with CORE_1 and Retry-After', async () => {
    const link = await linkTo({ maxInFlight: 2 });
    core.script = () => undefined;
    const held = [failureOf(check(link)), failureOf(check(link))];
    const error = await failureOf(check(link));
    assert.equal(error.code, 'CORE_1');
    assert.equal(error.details.retryAfterSeconds, 1);
    await core.until(() => core.calls.length === 2);
    core.endStreams(status.UNAUTHENTICATED);
    await Promise.all(held);
    core.script = agreeable;
    assert.equal((await check(link)).error, null);
  });

  for (const code of [status.UNAVAILABLE, status.OK, status.INTERNAL]) {
    test(`calls in flight are sent again when streams end with ${status[code]}, in their order`, async () => {
      const link = await linkTo({ streams: 1 });
      core.script = () => undefined;
      const lost = ['a', 'b', 'c'].map(id => check(link, id));
      await core.until(() => core.calls.length === 3);
      core.script = agreeable;
      core.endStreams(code);
      for (const reply of await Promise.all(lost)) assert.equal(reply.error, null);
      assert.deepEqual(
        core.calls.map(({ requestId }) => requestId),
        ['a', 'b', 'c', 'a', 'b', 'c'],
      );
    });
  }

  test('a call that was lost with three streams may be what ends them: it fails, and is not sent again', async () => {
    const link = await linkTo({ streams: 1 });
    core.script = () => undefined;
    const lost = failureOf(check(link));
    for (let times = 1; times <= 3; times++) {
      await core.until(() => core.calls.length === times);
      core.endStreams(status.UNAVAILABLE);
    }
    const error = await lost;
    assert.deepEqual([error.code, error.details.retryAfterSeconds], ['CORE_1', 1]);
    core.script = agreeable;
    assert.equal((await check(link)).error, null);
    assert.equal(core.calls.length, 4);
  });

  test('the log tells the end of streams once, again for another reason, and again after one worked', async () => {
    const { log, told } = keepingLog();
    const link = await linkTo({ log });
    const endAll = async (code: status): Promise<void> => {
      const before = core.secrets.length;
      core.endStreams(code);
      await core.until(() => core.secrets.length === before + 4 && core.streams === 4);
    };
    await endAll(status.UNAUTHENTICATED);
    await endAll(status.UNAUTHENTICATED);
    await endAll(status.UNAVAILABLE);
    await check(link);
    await endAll(status.UNAVAILABLE);
    assert.deepEqual(
      told.map(({ level, code }) => `${level} ${code}`),
      ['error UNAUTHENTICATED', 'warn UNAVAILABLE', 'warn UNAVAILABLE'],
    );
    assert.ok(told.every(line => !/\bat .*:\d+:\d+/.test(JSON.stringify(line))));
  });

  test('only where a stream had answered before is the core said to have gone away at work', async () => {
    const link = await linkTo({ streams: 1 });
    const lose = async (): Promise<string> => {
      core.script = () => undefined;
      const sent = core.calls.length;
      const lost = failureOf(check(link));
      await core.until(() => core.calls.length > sent);
      core.endStreams(status.UNAUTHENTICATED);
      return (await lost).message;
    };
    assert.match(await lose(), /cannot be reached/);
    core.script = agreeable;
    await check(link);
    assert.match(await lose(), /went away while it worked/);
  });

  test('while a core is away calls are held, and answered when it is back, those it had taken first', async () => {
    const link = await linkTo({ holdMs: LONG_MS });
    core.script = () => undefined;
    const lost = check(link, 'lost');
    await core.until(() => core.calls.length === 1);
    core.stop();
    core.script = agreeable;
    const held = check(link, 'held');
    await core.start();
    for (const reply of await Promise.all([lost, held])) assert.equal(reply.error, null);
    assert.deepEqual(
      core.calls.map(({ requestId }) => requestId),
      ['lost', 'lost', 'held'],
    );
  });

  test('what was held counts against no burst limit; what is sent at once does', async () => {
    const link = await linkTo({ holdMs: LONG_MS });
    await check(link, 'before');
    core.stop();
    const gone = check(link, 'on a dying stream or held');
    while (link.connected) await new Promise(setImmediate);
    const held = check(link, 'held');
    await core.start();
    await Promise.all([gone, held]);
    await check(link, 'after');
    const isHeld = (name: string) => core.calls.findLast(({ requestId }) => requestId === name)?.held;
    assert.deepEqual(['before', 'held', 'after'].map(isHeld), [false, true, false]);
  });

  test('many calls are held, far more than may be in flight, and are sent no faster than they are answered', async () => {
    const now = () => 0;
    const link = await linkTo({ holdMs: LONG_MS, maxInFlight: 200, now });
    core.stop();
    while (link.connected) await new Promise(setImmediate);
    const held = Array.from({ length: 600 }, () => check(link));
    core.script = () => undefined;
    await core.start();
    let answered = 0;
    while (answered < 600) {
      await core.until(() => core.calls.length > answered);
      const calls = core.calls.slice(answered);
      assert.ok(calls.length <= 4 * 32, `${calls.length} calls are with the core at once`);
      answered += calls.length;
      for (const { id } of calls) core.say({ id, checked: {} });
    }
    await Promise.all(held);
    core.script = agreeable;
    await Promise.all(Array.from({ length: 150 }, () => check(link)));
  });

  test('held calls have a cap of their own; one more fails at once', async () => {
    const link = await linkTo({ holdMs: LONG_MS, maxHeld: 3 });
    core.stop();
    while (link.connected) await new Promise(setImmediate);
    const held = [check(link), check(link), check(link)];
    const error = await failureOf(check(link));
    assert.deepEqual([error.code, error.details.retryAfterSeconds], ['CORE_1', 1]);
    await core.start();
    await Promise.all(held);
  });

  test('where a connection is taken and nothing is said on it, nothing is held', async () => {
    const sockets: Socket[] = [];
    const silent = createServer(socket => sockets.push(socket)).listen(0, '127.0.0.1');
    await once(silent, 'listening');
    const { port } = silent.address() as AddressInfo;
    const link = new CoreLink({
      address: `127.0.0.1:${port}`,
      secret: 'between us',
      log,
      holdMs: LONG_MS * 10,
    });
    links.push(link);
    const error = await failureOf(check(link, '', LONG_MS * 10));
    assert.deepEqual([error.code, error.details.retryAfterSeconds], ['CORE_1', 1]);
    const next = failureOf(check(link));
    assert.equal(link.inFlight, 0, 'the next call was not even queued');
    await next;
    await link.close();
    silent.close();
    for (const socket of sockets) socket.destroy();
  });

  test('once it is told to hold no more, what is held fails at once', async () => {
    const link = await linkTo({ holdMs: LONG_MS });
    core.stop();
    while (link.connected) await new Promise(setImmediate);
    const held = failureOf(check(link));
    link.holdNoMore();
    assert.equal((await held).code, 'CORE_1');
    await core.start();
    await core.until(() => core.streams === 4);
    assert.equal((await check(link)).error, null);
  });

  test('without a core calls are held for a while, then fail at once', async () => {
    const link = new CoreLink({ address: '127.0.0.1:1', secret: 'between us', log, holdMs: 50 });
    links.push(link);
    assert.equal(link.connected, false);
    assert.equal((await failureOf(check(link))).code, 'CORE_1');
    const second = failureOf(check(link));
    assert.equal(link.inFlight, 0, 'the second call was not even queued');
    assert.equal((await second).code, 'CORE_1');
  });

  test('once a core has been away for too long, calls fail at once until it is back', async () => {
    const link = await linkTo({ holdMs: 20 });
    core.stop();
    // The first may still have gone out on a dying stream; the second is held for as long as calls are.
    assert.equal((await failureOf(check(link))).code, 'CORE_1');
    assert.equal((await failureOf(check(link))).code, 'CORE_1');
    const third = failureOf(check(link));
    assert.equal(link.inFlight, 0, 'the third call was not even queued');
    await third;
    await core.start();
    await core.until(() => core.streams === 4);
    assert.equal((await check(link)).error, null);
  });

  test('a call given up no longer counts as load of its stream', async () => {
    const link = await linkTo({ streams: 2 });
    core.script = () => undefined;
    await failureOf(check(link, 'given up', 20));
    const first = failureOf(check(link));
    await core.until(() => core.messages.length === 2);
    const second = failureOf(check(link));
    await core.until(() => core.messages.length === 3);
    core.endOneStream(status.UNAUTHENTICATED);
    const settled = await Promise.race([first.then(() => 'first'), second.then(() => 'second')]);
    assert.equal(settled, 'first', 'the first call went to the stream the given up one was on');
    core.endStreams(status.UNAUTHENTICATED);
    await second;
  });

  test('close lets calls in flight be answered and takes no more', async () => {
    const link = await linkTo();
    const last = check(link);
    const closed = link.close();
    assert.equal((await failureOf(check(link))).code, 'CORE_1');
    assert.equal((await last).error, null);
    await closed;
    await core.until(() => core.streams === 0);
  });

  test('a core that does not read fills no memory: calls wait unsent and time out', async () => {
    const link = await linkTo({ streams: 1 });
    core.script = () => undefined;
    core.pauseReading();
    const calls = Array.from({ length: 100 }, () =>
      failureOf(call(link, large(1024 * 1024), { timeoutMs: 300 })),
    );
    for (const error of await Promise.all(calls)) assert.equal(error.code, 'CORE_2');
    core.resumeReading();
    core.script = agreeable;
    assert.equal((await check(link)).error, null);
    assert.ok(core.calls.length < 50, `${core.calls.length} calls were written to a stream nobody read`);
  });
});
