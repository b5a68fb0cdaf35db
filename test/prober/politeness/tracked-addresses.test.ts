import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AdmittedProbe } from '../../../prober/politeness/admitted-probe.ts';
import { admittedOf, open, retryOf } from './opened-politeness.ts';

const FREE = { packetsAnAddress: 999, packetsANetwork: 999 };

test('the rate limiter stores a limited number of addresses, and removes an address that is no longer probed', () => {
  const { clock, politeness, enter } = open(FREE, 1000);
  const entries = Array.from({ length: 1001 }, (_, i) => enter(`1.${i >> 8}.${i & 255}.4`));
  assert.ok(retryOf(entries[1000] ?? { retryAfterMs: 0 }) > 0);
  assert.equal(politeness.addresses, 1000);
  for (const entry of entries) {
    if (!(entry instanceof AdmittedProbe)) continue;
    entry.reservePacket();
    politeness.release(entry);
  }
  enter('1.0.0.4', 2);
  clock.pass(3000);
  assert.equal(politeness.addresses, 1);
  clock.pass(600_000);
  admittedOf(enter('1.250.1.1'));
});

test('the packets that the prober sent to a forgotten IP address do not reduce the limit of a new IP address', () => {
  const { clock, politeness, enter } = open();
  const full = (address: string) => {
    const running = [admittedOf(enter(address, 1)), admittedOf(enter(address, 2))];
    assert.equal([...running, ...running, ...running].filter(admitted => admitted.reservePacket()).length, 4);
    for (const admitted of running) politeness.release(admitted);
    // The second address reuses the state object of the first address. This object must not keep the old packet counts,
    // because they would change the waiting times of the second address.
    return Array.from({ length: 9 }, (_, i) => {
      const entry = enter(address, i + 3);
      if (entry instanceof AdmittedProbe) politeness.release(entry);
      return 'retryAfterMs' in entry ? entry.retryAfterMs : 0;
    });
  };
  const reservations = full('1.2.3.4');
  assert.ok(Math.max(...reservations) > 0);
  clock.pass(120_000);
  assert.equal(politeness.addresses, 0);
  assert.deepEqual(full('5.6.7.8'), reservations);
});

test('the rate limiter forgets an IP address if the callers do not retry the postponed probes of this address', () => {
  const { clock, politeness, enter } = open();
  for (let port = 1; port <= 20; port++) {
    const entry = enter('1.2.3.4', port);
    if (entry instanceof AdmittedProbe) politeness.release(entry);
  }
  clock.pass(20_000);
  assert.equal(politeness.addresses, 1);
  clock.pass(70_000);
  assert.equal(politeness.addresses, 0);
});
