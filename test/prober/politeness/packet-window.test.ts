import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PacketWindow, WINDOW_MS } from '../../../prober/politeness/packet-window.ts';

test('with a limit of three packets a second, the fourth packet is sent at least one second after the first', () => {
  assert.ok(WINDOW_MS > 1000);
  const window = new PacketWindow(3);
  for (const time of [5000, 5000, 5400]) {
    assert.ok(window.nextAt() <= time);
    window.record(time);
  }
  assert.equal(window.nextAt(), 5000 + WINDOW_MS);
  assert.equal(window.lastAt(), 5400);
  window.record(6100);
  window.record(6100);
  assert.equal(window.nextAt(), 5400 + WINDOW_MS);
  assert.equal(window.packets, 3);
});
