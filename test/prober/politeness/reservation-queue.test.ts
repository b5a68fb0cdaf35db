import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PacketWindow } from '../../../prober/politeness/packet-window.ts';
import { ReservationQueue } from '../../../prober/politeness/reservation-queue.ts';

/** Reserves the start times of two postponed probes. Returns the interval between these times, in milliseconds. */
const distance = (line: ReservationQueue) => -line.reserve(1e6) + line.reserve(1e6);

test('ReservationQueue (start times of probes) assumes a default number of packets per probe until the first probe has ended', () => {
  const line = new ReservationQueue(new PacketWindow(4));
  assert.equal(line.reserve(1000), 1000);
  assert.ok(line.freeAt > 1000 + 600 && line.freeAt < 1000 + 1000);
  assert.equal(line.reserve(1000), line.freeAt - (line.freeAt - 1000) / 2);
  // At 99,000 ms, all reserved start times are in the past. Therefore the next probe can start now.
  assert.equal(line.reserve(99_000), 99_000);
});

test('ReservationQueue leaves more time between two probes if earlier probes sent more packets or took longer', () => {
  const learned = (packets: number, heldMs: number) => {
    const line = new ReservationQueue(new PacketWindow(4));
    for (let i = 0; i < 100; i++) line.addSample(packets, heldMs);
    return distance(line);
  };
  const [one, three, held] = [learned(1, 0), learned(3, 0), learned(1, 2500)];
  assert.ok(one > 262.5 && one < 400, `${one}`);
  assert.ok(Math.abs(three - 3 * one) < 0.1, `${three}`);
  assert.ok(held > 2500 && held < 3500, `${held}`);
});
