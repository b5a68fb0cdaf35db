import assert from 'node:assert/strict';
import { once } from 'node:events';
import { describe, test } from 'node:test';
import { named, withPausingGateway } from './pausing-gateway.ts';

describe('PausedConnections (pauses callers of an overloaded gateway)', { timeout: 20_000 }, () => {
  const { gateway, connections, open, expectRefusal, roundTrips } = withPausingGateway();

  test('calls onAllResumed once, when no connection is paused any more', async () => {
    const [first, second] = [open(), open()];
    await expectRefusal(first, 'a', 1);
    gateway.timer.ticks(5);
    await expectRefusal(second, 'b', 1);
    gateway.timer.ticks(9);
    assert.equal(gateway.resumedAll, 0);
    gateway.timer.ticks(1);
    assert.equal(gateway.resumedAll, 1);
  });

  test('does not read pipelined requests from a paused connection, and answers them in their order after the pause', async () => {
    const piped = open();
    await once(piped.socket, 'connect');
    piped.socket.cork();
    for (const id of ['1', '2', '3']) piped.send('/', named(id));
    piped.socket.uncork();
    assert.deepEqual(await piped.answers(1), ['503 1']);
    gateway.busy = false;
    await roundTrips();
    assert.deepEqual(gateway.received, ['1']);
    gateway.timer.ticks(10);
    assert.deepEqual(await piped.answers(2), ['200 2', '200 3']);
    assert.equal(gateway.timer.tick, undefined);
  });

  test('stops its timer when the caller closes the only paused connection', async () => {
    const leaving = open();
    leaving.send('/', named('x'));
    await leaving.answers(1);
    leaving.socket.destroy();
    gateway.busy = false;
    await roundTrips();
    gateway.timer.ticks(10);
    assert.equal(gateway.timer.tick, undefined);
    // Closes all client connections first, because `server.close()` waits until they are closed.
    for (const { socket } of connections.splice(0)) socket.destroy();
    await gateway.server.close(60_000);
  });

  test('lets the server close paused connections immediately at shutdown', async () => {
    const idle = open();
    idle.send('/', named('x'));
    await idle.answers(1);
    const closed = once(idle.socket, 'close');
    await gateway.server.close(60_000);
    await closed;
  });

  test('closes a connection without a pause if the refused request contains Connection: close', async () => {
    const closing = open();
    closing.send('/', `${named('x')}Connection: close\r\n`);
    await once(closing.socket, 'close');
    assert.equal(gateway.timer.tick, undefined);
  });

  test('does not pause a connection while the gateway drains', async () => {
    gateway.draining = true;
    const late = open();
    late.send('/', named('x'));
    await once(late.socket, 'close');
    assert.equal(gateway.timer.tick, undefined);
  });
});
