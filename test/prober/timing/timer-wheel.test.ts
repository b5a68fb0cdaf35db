import assert from 'node:assert/strict';
import { test } from 'node:test';
import { TimerWheel, type WheelTimer } from '../../../prober/timing/timer-wheel.ts';

function wheelAt(start: number) {
  const clock = { time: start };
  const wheel = new TimerWheel(() => clock.time);
  const pass = (ms: number, step = 25) => {
    for (let passed = 0; passed < ms; passed += step) {
      clock.time += step;
      wheel.turn();
    }
  };
  return { clock, wheel, pass };
}

test('the timer wheel fires timers in the order of their due times, never early and at most 50 ms late', () => {
  const { clock, wheel, pass } = wheelAt(1003);
  const fired: [number, number][] = [];
  for (const delay of [2000, 0, 26, 25, 100])
    wheel.after(delay, () => fired.push([delay, clock.time - 1003]));
  pass(2100, 5);
  assert.deepEqual(
    fired.map(([delay]) => delay),
    [0, 25, 26, 100, 2000],
  );
  for (const [delay, at] of fired) assert.ok(at >= delay && at <= delay + 50, `${delay} fired at ${at}`);
});

test('the timer wheel fires a timer on time even if the delay is longer than several turns of the wheel', () => {
  const { clock, wheel, pass } = wheelAt(0);
  let at = -1;
  wheel.after(60_000, () => {
    at = clock.time;
  });
  pass(61_000);
  assert.ok(at >= 60_000 && at <= 60_050, `${at}`);
});

test('the timer wheel does not fire a cancelled timer, even if it is cancelled in the tick in which it is due', () => {
  const { wheel, pass } = wheelAt(0);
  const fired: string[] = [];
  const late: { timer?: WheelTimer } = {};
  wheel.after(50, () => {
    fired.push('first');
    late.timer?.cancel();
  });
  late.timer = wheel.after(50, () => fired.push('second'));
  const third = wheel.after(50, () => fired.push('third'));
  third.cancel();
  pass(500);
  assert.deepEqual(fired, ['first']);
});

test('a timer that is set while another timer fires does not fire in the same tick of the timer wheel', () => {
  const { wheel, pass } = wheelAt(0);
  let rounds = 0;
  const again = () => {
    rounds++;
    wheel.after(0, again);
  };
  wheel.after(0, again);
  pass(250);
  assert.ok(rounds >= 4 && rounds <= 10, `${rounds}`);
});

test('the timer wheel fires a restarted timer at its new time, and not at its old time', () => {
  const { clock, wheel, pass } = wheelAt(0);
  const fired: number[] = [];
  const timer = wheel.idle(() => fired.push(clock.time));
  pass(500);
  assert.deepEqual(fired, []);
  timer.restart(100);
  pass(75);
  timer.restart(1000);
  pass(950);
  assert.deepEqual(fired, []);
  pass(100);
  assert.equal(fired.length, 1);
  timer.cancel();
  timer.restart(25);
  pass(100);
  assert.equal(fired.length, 2);
});

test('the timer wheel fires a timer again if its callback restarts it with a delay of almost one turn of the wheel', () => {
  const { wheel, pass } = wheelAt(0);
  let fired = 0;
  const timer = wheel.idle(() => {
    fired++;
    timer.restart(511 * 25);
  });
  timer.restart(0);
  pass(12_800);
  assert.equal(fired, 1);
  pass(12_800);
  assert.equal(fired, 2);
});

test('the timer wheel does not count time during which the process was suspended', () => {
  const { clock, wheel, pass } = wheelAt(0);
  let fired = false;
  wheel.after(2000, () => {
    fired = true;
  });
  clock.time += 10_000;
  wheel.turn();
  assert.equal(fired, false);
  pass(1800);
  assert.equal(fired, false);
  pass(200);
  assert.equal(fired, true);
});

test('after start(), the timer wheel fires its timers automatically', async () => {
  const wheel = new TimerWheel();
  wheel.start();
  await new Promise<void>(resolve => wheel.after(1, resolve));
  wheel.stop();
});
