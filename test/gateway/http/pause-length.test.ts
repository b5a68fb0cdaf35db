import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { named, withPausingGateway } from './pausing-gateway.ts';

describe('PausedConnections (pauses callers of an overloaded gateway)', { timeout: 20_000 }, () => {
  const { gateway, start, open, passSeconds, expectRefusal, roundTrips } = withPausingGateway();

  test('pauses a connection for one second after a request on this connection was refused', async () => {
    const caller = open();
    caller.send('/', named('one'));
    assert.deepEqual(await caller.answers(1), ['503 one']);
    gateway.busy = false;
    caller.send('/', named('two'));
    gateway.timer.ticks(9);
    await roundTrips();
    assert.deepEqual(gateway.received, ['one']);
    gateway.timer.ticks(1);
    assert.deepEqual(await caller.answers(1), ['200 two']);
    assert.equal(gateway.timer.tick, undefined, 'the timer runs only while a connection is paused');
  });

  test('resumes each connection one second after the refusal of its request, independently of other connections', async () => {
    const [first, second] = [open(), open()];
    first.send('/', named('a'));
    await first.answers(1);
    gateway.timer.ticks(5);
    second.send('/', named('b'));
    await second.answers(1);
    gateway.busy = false;
    first.send('/', named('c'));
    second.send('/', named('d'));
    gateway.timer.ticks(5);
    assert.deepEqual(await first.answers(1), ['200 c']);
    await roundTrips();
    assert.deepEqual(gateway.received, ['a', 'b', 'c']);
    gateway.timer.ticks(5);
    assert.deepEqual(await second.answers(1), ['200 d']);
  });

  test('pauses a connection after every refused request, even 25 times in a row', async () => {
    const caller = open();
    for (let i = 0; i < 25; i++) {
      await expectRefusal(caller, `n${i}`, 1);
      passSeconds(1);
      // Lets one second pass after the end of the pause. A refusal within this second would make the next pause twice
      // as long.
      gateway.paused.now += 1000;
    }
  });

  test('doubles the pause, up to eight seconds, if a request is refused immediately after a pause', async () => {
    const caller = open();
    await expectRefusal(caller, 'n0', 1);
    for (const [i, [seconds, next]] of [
      [1, 2],
      [2, 4],
      [4, 8],
      [8, 8],
      [8, 8],
    ].entries()) {
      const id = `n${i + 1}`;
      caller.send('/', named(id));
      gateway.paused.now += (seconds ?? 0) * 1000;
      gateway.timer.ticks((seconds ?? 0) * 10 - 1);
      gateway.busy = false;
      await roundTrips();
      assert.equal(gateway.received.at(-1), `n${i}`, `${seconds} s have not passed`);
      gateway.busy = true;
      gateway.timer.ticks(1);
      assert.deepEqual(await caller.answers(1), [`503 ${id}`]);
      assert.deepEqual(caller.retryAfters, [next]);
    }
    passSeconds(8);
    assert.equal(gateway.timer.tick, undefined);
  });

  test('never pauses a connection for longer than the limit maxSeconds', async () => {
    await gateway.server.close(1000);
    await start(1);
    const caller = open();
    for (let i = 0; i < 4; i++) {
      await expectRefusal(caller, `n${i}`, 1);
      passSeconds(1);
    }
    gateway.busy = false;
    caller.send('/', named('last'));
    assert.deepEqual(await caller.answers(1), ['200 last']);
  });

  test('returns to a pause of one second if no request is refused for one second after a pause', async () => {
    const caller = open();
    await expectRefusal(caller, 'a', 1);
    passSeconds(1);
    await expectRefusal(caller, 'b', 2);
    passSeconds(2);
    gateway.busy = false;
    caller.send('/', named('c'));
    assert.deepEqual(await caller.answers(1), ['200 c']);
    gateway.busy = true;
    gateway.paused.now += 999;
    await expectRefusal(caller, 'd', 4);
    passSeconds(4);
    gateway.busy = false;
    caller.send('/', named('e'));
    assert.deepEqual(await caller.answers(1), ['200 e']);
    gateway.busy = true;
    gateway.paused.now += 1000;
    await expectRefusal(caller, 'f', 1);
    passSeconds(1);
    await expectRefusal(caller, 'g', 2);
  });

  test('doubles the pause of one connection without changing the pause of a different connection', async () => {
    const [first, second] = [open(), open()];
    await expectRefusal(first, 'a', 1);
    passSeconds(1);
    await expectRefusal(first, 'b', 2);
    await expectRefusal(second, 'c', 1);
    gateway.busy = false;
    first.send('/', named('d'));
    second.send('/', named('e'));
    passSeconds(1);
    assert.deepEqual(await second.answers(1), ['200 e']);
    await roundTrips();
    assert.deepEqual(gateway.received, ['a', 'b', 'c', 'e']);
    passSeconds(1);
    assert.deepEqual(await first.answers(1), ['200 d']);
  });
});
