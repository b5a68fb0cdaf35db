import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { DetectorWorld, elsewhere } from './detector-world.ts';
import { MINUTE, stopServers, world } from './settled-world.ts';

describe('the uplink of the prober (its internet connection)', () => {
  test('causes no offline verdict if it is down for one minute', () => {
    const made = world(10);
    const from = made.now;
    made.up = (_, now) => now >= from + MINUTE;
    made.pass(10 * MINUTE);
    assert.deepEqual(
      made.found.filter(({ status }) => status === 'offline'),
      [],
    );
  });

  test('causes no offline verdict if it is down for three minutes and only a local server answers', () => {
    for (const networks of [2, 10, 100]) {
      const made = new DetectorWorld().add('10.0.0.1:27015', ...elsewhere(networks));
      made.pass(10 * MINUTE);
      const from = made.now;
      made.up = (address, now) => address.startsWith('10.') || now >= from + 3 * MINUTE;
      made.pass(10 * MINUTE);
      assert.deepEqual(
        made.found.filter(({ status }) => status === 'offline'),
        [],
        `${networks} networks`,
      );
    }
  });

  test('causes no offline verdict if only its IPv6 route fails for 20 minutes and IPv4 servers still answer', () => {
    for (const networks of [2, 40]) {
      const v6 = Array.from({ length: networks }, (_, i) => `[2001:db8:${(i + 1).toString(16)}::9]:27015`);
      const made = new DetectorWorld().add(...v6, ...elsewhere(20));
      made.pass(10 * MINUTE);
      const from = made.now;
      made.up = (address, now) => !address.startsWith('[') || now >= from + 20 * MINUTE;
      made.pass(30 * MINUTE);
      assert.deepEqual(
        made.found.filter(({ status }) => status === 'offline'),
        [],
        `${networks} networks`,
      );
    }
  });

  test('does not delay the offline verdict on an IPv6 server if IPv6 servers in another network answer', () => {
    const made = new DetectorWorld().add('[2001:db8:1::9]:27015', '[2001:db8:2::9]:27015', ...elsewhere(10));
    made.pass(10 * MINUTE);
    const from = made.now;
    stopServers(made, ['[2001:db8:1::9]:27015']);
    made.pass(5 * MINUTE);
    const seconds = made.offlineAfter('[2001:db8:1::9]:27015', from);
    assert.ok(seconds < 150, `${seconds} s`);
  });

  test('does not count as down while servers in half of the networks still answer', () => {
    const made = new DetectorWorld().add(...elsewhere(100));
    made.pass(10 * MINUTE);
    const gone = elsewhere(100).filter((_, i) => i % 2 === 0);
    stopServers(made, gone);
    made.pass(3 * MINUTE);
    assert.deepEqual(new Set(made.offline), new Set(gone));
  });
});
