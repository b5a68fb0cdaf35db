import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { test } from 'node:test';
import { until } from '../../system/until.ts';
import { EMPTY, headers, LIST_GAMES, outcome, publicServer } from './public-server.ts';

for (const cap of ['connections', 'connectionsPerAddress'] as const) {
  test(`the public port closes new connections immediately while the limit \`${cap}\` is reached`, {
    timeout: 10_000,
  }, async t => {
    const { port } = await publicServer(t, { [cap]: 1 });
    const open = () => {
      const socket = connect(port, '127.0.0.1');
      socket.on('error', () => {});
      socket.resume();
      t.after(() => socket.destroy());
      return socket;
    };
    const first = open();
    await once(first, 'data', { signal: AbortSignal.timeout(5_000) });
    await once(open(), 'close');
    first.end();
    await once(first, 'close');
    await once(open(), 'data');
  });
}

test('if an address reaches its limit of open calls, further calls are refused with CORE_1 until a call ends', async t => {
  const { held, session } = await publicServer(t, { callsPerAddress: 1 });
  const caller = session();
  const call = () => caller.request(headers(LIST_GAMES)).end(EMPTY);
  const first = call();
  await until(
    'the first call',
    () => held.length,
    count => count === 1,
  );
  const refused = await outcome(call());
  assert.equal(refused.code, 'UNAVAILABLE');
  assert.match(refused.message, /Too many calls from this address/);
  const ended = outcome(first);
  held[0]?.();
  assert.equal((await ended).code, 'OK');
  const next = outcome(call());
  await until(
    'the next call',
    () => held.length,
    count => count === 2,
  );
  held[1]?.();
  assert.equal((await next).code, 'OK');
});

test('if a caller resets a call, the call no longer counts towards the limit of open calls of the caller', async t => {
  const { held, session } = await publicServer(t, { callsPerAddress: 1 });
  const caller = session();
  for (let i = 1; i <= 5; i++) {
    const stream = caller.request(headers(LIST_GAMES)).end(EMPTY);
    stream.on('error', () => {});
    await until(
      `call ${i}`,
      () => held.length,
      count => count === i,
    );
    stream.close(8);
    await once(stream, 'close');
    // Sends an HTTP/2 ping after the reset of the stream. When the reply to the ping arrives, the server has also
    // received the reset.
    await new Promise(resolve => caller.ping(resolve));
  }
});

test('if all callers connect through one proxy, the calls and connections of each IP address are not limited', async t => {
  const { held, session } = await publicServer(t, { callsPerAddress: 0, connectionsPerAddress: 0 }, false);
  const stream = session().request(headers(LIST_GAMES)).end(EMPTY);
  const ended = outcome(stream);
  await until(
    'the call',
    () => held.length,
    count => count === 1,
  );
  held[0]?.();
  assert.equal((await ended).code, 'OK');
});
