import assert from 'node:assert/strict';
import { Writable } from 'node:stream';
import { describe, test } from 'node:test';
import { status } from '@grpc/grpc-js';
import { pino } from 'pino';
import type { Logger } from '../../../runtime/log.ts';
import { agreeable } from '../core-scripts.ts';
import { check, failureOf, withLinks } from './link-under-test.ts';

interface LogLine {
  level: string;
  code?: string;
  err?: unknown;
}

/** Returns a logger, and the list of the lines that the logger has logged. */
function recordingLog(): { log: Logger; lines: LogLine[] } {
  const lines: LogLine[] = [];
  const record = new Writable({
    write(line, _encoding, done) {
      lines.push(JSON.parse(String(line)));
      done();
    },
  });
  return { log: pino({ formatters: { level: level => ({ level }) } }, record), lines };
}

describe("the gateway's gRPC streams to the core", () => {
  const { core, linkTo } = withLinks();

  for (const code of [status.UNAVAILABLE, status.OK, status.INTERNAL]) {
    test(`send unanswered calls again, in the same order, after a stream has ended with ${status[code]}`, async () => {
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

  test('fail a call with CORE_1 after three streams ended without an answer', async () => {
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

  test('log why the core ended them, but do not log the same reason again until the core has replied to a call', async () => {
    const { log, lines } = recordingLog();
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
      lines.map(({ level, code }) => `${level} ${code}`),
      ['error UNAUTHENTICATED', 'warn UNAVAILABLE', 'warn UNAVAILABLE'],
    );
    assert.ok(lines.every(line => !/\bat .*:\d+:\d+/.test(JSON.stringify(line))));
  });

  test('fail a call with the message "went away" if the core has answered an earlier call, otherwise with "cannot be reached"', async () => {
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

  test('send each call on the stream with the fewest open calls, not counting timed-out calls', async () => {
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

  test('refuse new calls after close(), but stay open until all earlier calls are answered', async () => {
    const link = await linkTo();
    const last = check(link);
    const closed = link.close();
    assert.equal((await failureOf(check(link))).code, 'CORE_1');
    assert.equal((await last).error, null);
    await closed;
    await core.until(() => core.streams === 0);
  });
});
