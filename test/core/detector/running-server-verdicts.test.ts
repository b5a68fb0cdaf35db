import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { DetectorWorld, elsewhere, onHost } from './detector-world.ts';
import { HOST, MINUTE, SECOND, stopServers, world } from './settled-world.ts';

describe('a running server', () => {
  for (const loss of [0.05, 0.2]) {
    test(`never gets an offline verdict at a packet loss of ${loss * 100} %`, () => {
      const made = new DetectorWorld().add(...onHost(HOST, 10), ...elsewhere(40));
      made.loss = () => loss;
      made.pass(12 * 60 * MINUTE);
      assert.deepEqual(
        made.found.filter(({ status }) => status === 'offline'),
        [],
      );
      assert.ok(made.probes > 36_000, `${made.probes} probes`);
    });
  }

  test('never gets an offline verdict if it repeatedly stops its replies for 45 s', () => {
    for (const siblings of [1, 2, 10, 50]) {
      const made = world(siblings);
      const [frozen = ''] = onHost(HOST, siblings);
      for (let time = 0; time < 20; time++) {
        const from = made.now;
        made.up = (address, now) => address !== frozen || now >= from + 45 * SECOND;
        made.pass(3 * MINUTE);
      }
      assert.deepEqual(
        made.found.filter(({ status }) => status === 'offline'),
        [],
        `one of ${siblings}`,
      );
    }
  });

  test('gets no offline verdict if no server on its host sends replies for 45 s', () => {
    const made = world(20);
    for (let time = 0; time < 10; time++) {
      const from = made.now;
      made.up = (address, now) => !address.startsWith(HOST) || now >= from + 45 * SECOND;
      made.pass(3 * MINUTE);
    }
    assert.deepEqual(
      made.found.filter(({ status }) => status === 'offline'),
      [],
    );
  });

  test('gets no offline verdict for a silence of 45 s that begins within two minutes after other servers on its host stopped', () => {
    for (const dead of [1, 2, 5]) {
      for (let attempt = 0; attempt < 20; attempt++) {
        const [frozen = '', ...gone] = onHost(HOST, dead + 1);
        const made = world(dead + 1);
        made.pass(attempt * 3 * SECOND);
        const from = made.now;
        const still = from + (10 + ((attempt * 17) % 90)) * SECOND;
        made.up = (address, now) =>
          address === frozen
            ? now < still || now >= still + 45 * SECOND
            : now < from || !gone.includes(address);
        made.pass(5 * MINUTE);
        assert.deepEqual(new Set(made.offline), new Set(gone), `${dead} dead, try ${attempt}`);
        assert.ok(!made.found.some(({ key, status }) => key.endsWith(frozen) && status === 'offline'));
      }
    }
  });

  test('gets no offline verdict when it is silent for 45 s, long after other servers on its host have stopped', () => {
    const [frozen = '', ...gone] = onHost(HOST, 10);
    const made = world(10);
    stopServers(made, gone);
    for (let time = 0; time < 20; time++) {
      made.pass(5 * MINUTE + 7 * SECOND);
      const still = made.now;
      made.up = (address, now) => (address === frozen ? now >= still + 45 * SECOND : !gone.includes(address));
      made.pass(MINUTE);
      assert.ok(!made.found.some(({ key, status }) => key.endsWith(frozen) && status === 'offline'));
    }
  });
});

describe('a restart of the core', () => {
  test('causes no offline verdict in the first 45 s, even if the newest replies are an hour old', () => {
    const made = world(10);
    made.now += 60 * MINUTE;
    made.restartCore();
    made.up = address => !address.startsWith(HOST);
    made.pass(45 * SECOND);
    assert.deepEqual(made.offline, []);
    made.pass(10 * MINUTE);
    assert.deepEqual(new Set(made.offline), new Set(onHost(HOST, 10)));
  });

  test('causes no offline verdict on running servers at a packet loss of 40 %', () => {
    for (let time = 0; time < 5; time++) {
      const made = world(10, 0.4);
      made.restartCore();
      made.pass(30 * MINUTE);
      assert.deepEqual(made.offline, []);
    }
  });
});
