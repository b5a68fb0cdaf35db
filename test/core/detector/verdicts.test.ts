import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { DetectorWorld, elsewhere, onHost } from './detector-world.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOST = '9.9.9.9';

/**
 * Creates a world with `siblings` servers on one host and forty servers elsewhere. All of them have answered
 * for ten minutes.
 */
function world(siblings: number, loss = 0): DetectorWorld {
  const made = new DetectorWorld().add(...onHost(HOST, siblings), ...elsewhere(40));
  made.loss = () => loss;
  made.pass(10 * MINUTE);
  return made;
}

/** Stops these servers at the time `from`. */
function end(made: DetectorWorld, addresses: readonly string[], from = made.now): void {
  const gone = new Set(addresses);
  made.up = (address, now) => now < from || !gone.has(address);
}

describe('the verdict on a server that stopped', () => {
  for (const siblings of [1, 2, 10, 50]) {
    test(`is offline within two minutes if one of ${siblings} servers at an address stops; the others stay online`, () => {
      const made = world(siblings);
      const [gone = ''] = onHost(HOST, siblings);
      const from = made.now;
      end(made, [gone]);
      made.pass(3 * MINUTE);
      assert.deepEqual(made.offline, [gone]);
      const seconds = made.offlineAfter(gone, from);
      assert.ok(seconds >= 50 && seconds <= 120, `${seconds} s`);
    });

    test(`is offline within two minutes if all ${siblings} servers at an address stop; other servers stay online`, () => {
      const made = world(siblings);
      const from = made.now;
      end(made, onHost(HOST, siblings));
      made.pass(3 * MINUTE);
      assert.deepEqual(new Set(made.offline), new Set(onHost(HOST, siblings)));
      for (const address of onHost(HOST, siblings)) {
        const seconds = made.offlineAfter(address, from);
        assert.ok(seconds >= 50 && seconds <= 120, `${address}: ${seconds} s`);
      }
    });
  }

  test('takes longer if more packets are lost on the path to the server, but at most eleven minutes', () => {
    const seconds = [0.05, 0.2, 0.4].map(loss => {
      const made = world(10, loss);
      const [gone = ''] = onHost(HOST, 10);
      const from = made.now;
      end(made, [gone]);
      made.pass(11 * MINUTE);
      return made.offlineAfter(gone, from);
    });
    const [little = 0, some = 0, much = 0] = seconds;
    assert.ok(little <= 180 && some <= 180 && some < much && much <= 660, `${seconds}`);
  });
});

describe('a running server', () => {
  for (const loss of [0.05, 0.2]) {
    test(`never gets an offline verdict at a packet loss of ${loss * 100} %, whether alone or with others on its host`, () => {
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

  test('can pause for 45 s repeatedly without an offline verdict, whether alone or with others on its host', () => {
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

  test('gets no offline verdict if its whole host pauses for 45 s', () => {
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

  test('gets no offline verdict during a pause if other servers on its host stopped shortly before', () => {
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

  test('gets no offline verdict during a pause if other servers on its host stopped long before', () => {
    const [frozen = '', ...gone] = onHost(HOST, 10);
    const made = world(10);
    end(made, gone);
    for (let time = 0; time < 20; time++) {
      made.pass(5 * MINUTE + 7 * SECOND);
      const still = made.now;
      made.up = (address, now) => (address === frozen ? now >= still + 45 * SECOND : !gone.includes(address));
      made.pass(MINUTE);
      assert.ok(!made.found.some(({ key, status }) => key.endsWith(frozen) && status === 'offline'));
    }
  });
});

describe('the network connection of the prober', () => {
  test('causes no offline verdict if it is interrupted for one minute', () => {
    const made = world(10);
    const from = made.now;
    made.up = (_, now) => now >= from + MINUTE;
    made.pass(10 * MINUTE);
    assert.deepEqual(
      made.found.filter(({ status }) => status === 'offline'),
      [],
    );
  });

  test('causes no offline verdict if it is interrupted for three minutes while a local server still answers', () => {
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

  test('is not considered broken if the servers in half of all networks stop at the same time', () => {
    const made = new DetectorWorld().add(...elsewhere(100));
    made.pass(10 * MINUTE);
    const gone = elsewhere(100).filter((_, i) => i % 2 === 0);
    end(made, gone);
    made.pass(3 * MINUTE);
    assert.deepEqual(new Set(made.offline), new Set(gone));
  });
});

describe('a fleet of only six servers', () => {
  test('gets an offline verdict for one stopped server within two and a half minutes', () => {
    const made = new DetectorWorld().add(...elsewhere(6));
    made.pass(10 * MINUTE);
    const from = made.now;
    end(made, elsewhere(1));
    made.pass(5 * MINUTE);
    assert.deepEqual(made.offline, elsewhere(1));
    assert.ok(made.offlineAfter('5.0.0.9:27015', from) <= 150);
  });

  test('gets offline verdicts if five servers stop, but none if all stop, because the prober is perhaps disconnected', () => {
    const five = new DetectorWorld().add(...elsewhere(6));
    five.pass(10 * MINUTE);
    end(five, elsewhere(5));
    five.pass(10 * MINUTE);
    assert.deepEqual(new Set(five.offline), new Set(elsewhere(5)));
    const six = new DetectorWorld().add(...elsewhere(6));
    six.pass(10 * MINUTE);
    end(six, elsewhere(6));
    six.pass(60 * MINUTE);
    assert.deepEqual(six.offline, []);
  });
});

describe('the failure detector after a restart of the core', () => {
  test('gives no offline verdict without new evidence, even if the last answers are an hour old', () => {
    const made = world(10);
    made.now += 60 * MINUTE;
    made.restartCore();
    made.up = address => !address.startsWith(HOST);
    made.pass(45 * SECOND);
    assert.deepEqual(made.offline, []);
    made.pass(10 * MINUTE);
    assert.deepEqual(new Set(made.offline), new Set(onHost(HOST, 10)));
  });

  test('gives no offline verdict on running servers at a packet loss of 40 %', () => {
    for (let time = 0; time < 5; time++) {
      const made = world(10, 0.4);
      made.restartCore();
      made.pass(30 * MINUTE);
      assert.deepEqual(made.offline, []);
    }
  });
});
