import assert from 'node:assert/strict';
import { test } from 'node:test';
import { TargetPolicy } from '../../net/targets.ts';
import { rawServer, startReceiver, thankingReceiver } from './receiver.ts';
import { LOOPBACK, send } from './send-delivery.ts';

const NOBODY = new TargetPolicy([]);

test('the notifier sends the method, path, headers and body of a webhook delivery to the receiver', async t => {
  const receiver = await thankingReceiver(t);
  const sent = await send(`${receiver.origin}/hook?key=1`, { method: 'PATCH' });
  assert.equal(sent.httpStatus, 200);
  assert.equal(sent.error, '');
  const [got] = receiver.received;
  assert.deepEqual(
    [got?.method, got?.path, got?.headers['webhook-id'], got?.body],
    ['PATCH', '/hook?key=1', 'msg_1', '{"event":"test"}'],
  );
});

test('the notifier connects to the checked IP address, and sends the host name of the URL in the Host header', async t => {
  const receiver = await thankingReceiver(t);
  const { port } = new URL(receiver.origin);
  assert.equal((await send(`http://mixed.example:${port}/`)).httpStatus, 200);
  assert.equal(receiver.received[0]?.headers.host, `mixed.example:${port}`);
});

test('the notifier does not connect to a webhook receiver at a forbidden address', async t => {
  const receiver = await thankingReceiver(t);
  const { port } = new URL(receiver.origin);
  const refused: [string, TargetPolicy, RegExp][] = [
    [receiver.origin, NOBODY, /http is allowed only for addresses in GSQ_ALLOW_TARGETS/],
    [`https://127.0.0.1:${port}/`, NOBODY, /no address to which gsq is allowed to connect/],
    [`https://[::1]:${port}/`, NOBODY, /no address/],
    [`https://[::ffff:127.0.0.1]:${port}/`, LOOPBACK, /no address/],
    [`https://inside.example:${port}/`, LOOPBACK, /no address/],
    ['http://hook.example:25/', LOOPBACK, /port 25 is not allowed/],
    ['https://hook.example:6379/', LOOPBACK, /port 6379 is not allowed/],
    [`https://nobody.example:${port}/`, LOOPBACK, /the name nobody.example has no address/],
    ['ftp://hook.example/', LOOPBACK, /ftp: is not https:/],
  ];
  for (const [url, policy, reason] of refused) {
    const sent = await send(url, {}, policy);
    assert.equal(sent.httpStatus, 0, url);
    assert.match(sent.error, reason);
  }
  assert.deepEqual(receiver.received, []);
});

test('the result of a webhook delivery has `notSent` only if the machine of the notifier could not send the request', async t => {
  const closed = await rawServer(t, socket => socket.destroy());
  const cases: [string, TargetPolicy, boolean][] = [
    ['https://hook.example/', NOBODY, true],
    ['https://unanswered.example/', LOOPBACK, true],
    ['https://nobody.example/', LOOPBACK, false],
    [closed, LOOPBACK, false],
  ];
  for (const [url, policy, notSent] of cases)
    assert.equal((await send(url, {}, policy)).notSent, notSent, url);
  const receiver = await startReceiver(t, (_request, response) => response.writeHead(500).end());
  assert.equal((await send(receiver.origin)).notSent, false);
});

test('the notifier reports a webhook delivery as not sent if the notifier’s machine has no route to the receiver', {
  skip: process.platform !== 'linux' && 'only Linux refuses to connect to a multicast address',
}, async () => {
  const sent = await send('http://224.0.0.1:27015/', {}, new TargetPolicy(['224.0.0.0/4']));
  assert.match(sent.error, /ENETUNREACH|unreachable|no route/i);
  assert.equal(sent.notSent, true);
});
