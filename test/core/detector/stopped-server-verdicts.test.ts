import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { DetectorWorld, elsewhere, onHost } from './detector-world.ts';
import { HOST, MINUTE, stopServers, world } from './settled-world.ts';

describe('a server that stops', () => {
  for (const siblings of [1, 2, 10, 50]) {
    test(`gets an offline verdict within two minutes if only one of ${siblings} servers on its host stops`, () => {
      const made = world(siblings);
      const [gone = ''] = onHost(HOST, siblings);
      const from = made.now;
      stopServers(made, [gone]);
      made.pass(3 * MINUTE);
      assert.deepEqual(made.offline, [gone]);
      const seconds = made.offlineAfter(gone, from);
      assert.ok(seconds >= 50 && seconds <= 120, `${seconds} s`);
    });

    test(`gets an offline verdict within two minutes if all ${siblings} servers on its host stop`, () => {
      const made = world(siblings);
      const from = made.now;
      stopServers(made, onHost(HOST, siblings));
      made.pass(3 * MINUTE);
      assert.deepEqual(new Set(made.offline), new Set(onHost(HOST, siblings)));
      for (const address of onHost(HOST, siblings)) {
        const seconds = made.offlineAfter(address, from);
        assert.ok(seconds >= 50 && seconds <= 120, `${address}: ${seconds} s`);
      }
    });
  }

  test('gets its offline verdict later at a higher packet loss, but within eleven minutes', () => {
    const seconds = [0.05, 0.2, 0.4].map(loss => {
      const made = world(10, loss);
      const [gone = ''] = onHost(HOST, 10);
      const from = made.now;
      stopServers(made, [gone]);
      made.pass(11 * MINUTE);
      return made.offlineAfter(gone, from);
    });
    const [little = 0, some = 0, much = 0] = seconds;
    assert.ok(little <= 180 && some <= 180 && some < much && much <= 660, `${seconds}`);
  });
});

describe('the failure detector with only six tracked servers', () => {
  test('gives an offline verdict within 150 s if one server stops', () => {
    const made = new DetectorWorld().add(...elsewhere(6));
    made.pass(10 * MINUTE);
    const from = made.now;
    stopServers(made, elsewhere(1));
    made.pass(5 * MINUTE);
    assert.deepEqual(made.offline, elsewhere(1));
    assert.ok(made.offlineAfter('5.0.0.9:27015', from) <= 150);
  });

  test('gives five offline verdicts if five servers stop, and none if all six stop', () => {
    const five = new DetectorWorld().add(...elsewhere(6));
    five.pass(10 * MINUTE);
    stopServers(five, elsewhere(5));
    five.pass(10 * MINUTE);
    assert.deepEqual(new Set(five.offline), new Set(elsewhere(5)));
    const six = new DetectorWorld().add(...elsewhere(6));
    six.pass(10 * MINUTE);
    stopServers(six, elsewhere(6));
    six.pass(60 * MINUTE);
    assert.deepEqual(six.offline, []);
  });
});
