import assert from 'node:assert/strict';
import { test } from 'node:test';
import { admittedOf, open, retryOf, settled } from './opened-politeness.ts';

test('the rate limiter admits two probes at an address, and a third probe when one of them ends', async () => {
  const { politeness, enter } = open({ packetsAnAddress: 999 });
  const [first] = [admittedOf(enter('1.2.3.4', 1)), admittedOf(enter('1.2.3.4', 2))];
  const third = enter('1.2.3.4', 3);
  assert.ok(third instanceof Promise);
  admittedOf(enter('1.2.3.5', 1));
  politeness.release(first);
  assert.deepEqual(admittedOf(await third).ports, [3]);
});

test('the rate limiter admits an urgent probe before all other waiting probes of the same address', async () => {
  const { politeness, enter } = open({ packetsAnAddress: 999 });
  const [first, second] = [admittedOf(enter('1.2.3.4', 1)), admittedOf(enter('1.2.3.4', 2))];
  const order: string[] = [];
  const waiting = Promise.resolve(enter('1.2.3.4', 3)).then(() => order.push('waiting'));
  const urgent = Promise.resolve(politeness.admit({ address: '1.2.3.4', ports: [4], urgent: true })).then(
    () => order.push('urgent'),
  );
  politeness.release(first);
  await urgent;
  politeness.release(second);
  await waiting;
  assert.deepEqual(order, ['urgent', 'waiting']);
});

test('only two limits apply to an address in the operator’s own network: total packet rate, and one probe per port', async () => {
  const { clock, politeness } = open({ packetsInAll: 100 });
  const running = Array.from({ length: 30 }, (_, i) =>
    admittedOf(politeness.admit({ address: '10.0.0.1', ports: [i + 1], own: true })),
  );
  assert.ok(politeness.admit({ address: '10.0.0.1', ports: [7], own: true }) instanceof Promise);
  const packets = [...running, ...running, ...running, ...running];
  assert.equal(packets.filter(admitted => admitted.reservePacket()).length, 100);
  clock.pass(1_100);
  assert.equal(packets.filter(admitted => admitted.reservePacket()).length, 100);
});

test('the rate limiter never lets two probes query the same port at the same time', async () => {
  const { politeness } = open({ packetsAnAddress: 999 });
  const first = admittedOf(politeness.admit({ address: '1.2.3.4', ports: [1, 2] }));
  const order: string[] = [];
  const overlapping = Promise.resolve(politeness.admit({ address: '1.2.3.4', ports: [3, 2] })).then(entry => {
    order.push('overlapping');
    return entry;
  });
  const other = Promise.resolve(politeness.admit({ address: '1.2.3.4', ports: [4] })).then(() =>
    order.push('other'),
  );
  await settled();
  assert.deepEqual(order, []);
  politeness.release(first);
  await Promise.all([overlapping, other]);
  assert.deepEqual(order, ['overlapping', 'other']);
});

test('if a probe has waited five seconds for other probes of its address to end, the rate limiter postpones the probe', async () => {
  const { clock, enter } = open({ packetsAnAddress: 999 });
  admittedOf(enter('1.2.3.4', 1));
  admittedOf(enter('1.2.3.4', 2));
  const third = enter('1.2.3.4', 3);
  clock.pass(5100);
  assert.ok(retryOf(await third) >= 0);
});

test('closing the rate limiter ends the wait of all waiting probes and packets', async () => {
  const { politeness, enter } = open();
  const [admitted] = [admittedOf(enter('1.2.3.4', 1)), admittedOf(enter('1.2.3.4', 2))];
  const waiting = enter('1.2.3.4', 3);
  for (let i = 0; i < 4; i++) admitted.reservePacket();
  const packet = admitted.waitForPacket();
  politeness.close();
  assert.equal(await packet, false);
  retryOf(await waiting);
});
