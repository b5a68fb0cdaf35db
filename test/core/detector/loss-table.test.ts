import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LOSS_FADES_MS, LossTable } from '../../../core/detector/loss-table.ts';
import { randomNumbers } from '../../system/random-numbers.ts';

const MINUTE = 60_000;
const start = Date.UTC(2026, 0, 1);

/**
 * Largest allowed error of a packet count. The counts in the packet-loss table decay with time, and the table rounds
 * times to 32 ms. So the error of a count of 1000 can be as large as its decay in 32 ms.
 */
const TICK = 1_000 * (32 / LOSS_FADES_MS);

/** Returns a packet-loss table with one entry. The entry says that the host `key` has lost `lost` of `sent` packets. */
function counted(key: number, sent: number, lost: number, now = start): LossTable {
  const table = new LossTable(1024);
  table.count(table.enter(key, now), sent, lost);
  return table;
}

test('the packet-loss table adds up the packet counts of a host, and returns 0 for an unknown host', () => {
  const table = counted(7, 10, 4);
  table.count(table.enter(7, start), 2, 1);
  const entry = table.find(7);
  assert.deepEqual([table.sent(entry), table.lost(entry), table.size], [12, 5, 1]);
  assert.equal(table.find(8), -1);
  assert.deepEqual([table.sent(-1), table.lost(-1), table.silence(-1), table.roundTrip(-1)], [0, 0, 0, 0]);
});

test('the packet-loss table gives old packets less weight: the packet counts of a host fall to 1/e (37 %) in 90 s', () => {
  const table = counted(7, 1000, 100);
  const entry = table.enter(7, start + LOSS_FADES_MS);
  assert.ok(Math.abs(table.sent(entry) - 1000 / Math.E) < TICK);
  assert.ok(Math.abs(table.lost(entry) - 100 / Math.E) < TICK);
  table.enter(7, start + 10 * LOSS_FADES_MS);
  assert.ok(Math.abs(table.sent(entry) - 1000 * Math.exp(-10)) < TICK);
});

test('packet counts in the packet-loss table do not change when the clock is set back, and decay as usual afterwards', () => {
  const table = counted(7, 1000, 100);
  const entry = table.enter(7, start - 3_600_000);
  assert.deepEqual([table.sent(entry), table.lost(entry)], [1000, 100]);
  table.enter(7, start - 3_600_000 + LOSS_FADES_MS);
  assert.ok(Math.abs(table.sent(entry) - 1000 / Math.E) < TICK);
});

test('the packet-loss table stores the longest silence of each host; the stored time falls to 1/e (37 %) in three hours', () => {
  const table = counted(7, 1, 0);
  const entry = table.find(7);
  for (const silence of [20_000, 45_000, 30_000]) table.noteSilence(entry, silence);
  assert.equal(table.silence(entry), 45_000);
  table.enter(7, start + 3 * 60 * MINUTE);
  assert.ok(Math.abs(table.silence(entry) - 45_000 / Math.E) < 1);
});

test('the packet-loss table averages round-trip times: each new value moves the average by a quarter of the difference', () => {
  const table = counted(7, 1, 0);
  const entry = table.find(7);
  assert.equal(table.roundTrip(entry), 0);
  table.noteRoundTrip(entry, 100);
  table.noteRoundTrip(entry, 200);
  assert.equal(table.roundTrip(entry), 125);
  const other = table.enter(8, start);
  table.noteRoundTrip(other, 0.2);
  assert.equal(table.roundTrip(other), 1, 'measured, however short');
});

test('the packet-loss table keeps separate packet counts for each host, even if the 32-bit keys of the hosts are similar', () => {
  const table = new LossTable(2 ** 14);
  const keys = [0, -1, 2 ** 31 - 1, -(2 ** 31)];
  for (let i = 0; i < 2000; i++) keys.push((i << 16) | 1, (10 << 24) | i);
  const all = [...new Set(keys)];
  all.forEach((key, i) => {
    table.count(table.enter(key, start), i + 1, i);
  });
  assert.equal(table.size, all.length);
  for (const [i, key] of all.entries()) {
    const entry = table.find(key);
    assert.deepEqual([table.sent(entry), table.lost(entry)], [i + 1, i], `${key}`);
  }
});

test('a full packet-loss table replaces only old entries: it adds no new host while all entries are recent', () => {
  const most = 1024;
  const table = new LossTable(most);
  for (let key = 0; key < most; key++) table.count(table.enter(key, start), 1, 0);
  assert.equal(table.size, most);
  for (let key = most; key < 3 * most; key++) assert.equal(table.enter(key, start + MINUTE), -1);
  assert.equal(table.size, most);
  for (let key = 0; key < most; key++) assert.ok(table.find(key) >= 0, `${key}`);
  // Ten minutes after the start, the test uses a quarter of the hosts a second time, so the entries of these hosts are
  // recent. Later it adds new hosts. The packet-loss table must keep the recent entries, and replace the older ones.
  for (let key = 0; key < most / 4; key++) table.enter(key, start + 10 * MINUTE);
  const later = start + 20 * MINUTE;
  for (let key = most; key < 1.5 * most; key++) assert.ok(table.enter(key, later) >= 0, `${key}`);
  for (let key = 0; key < most / 4; key++) assert.ok(table.find(key) >= 0, `${key} is fresh`);
  for (let key = most / 4; key < most; key++) assert.equal(table.find(key), -1, `${key} is old`);
  assert.ok(table.size <= most);
});

test('the packet-loss table never has more entries than its limit, even with many different keys', () => {
  const table = new LossTable(4096);
  const below = randomNumbers(7);
  for (let i = 0; i < 200_000; i++) {
    table.enter(below(2 ** 32) | 0, start + i * 100);
    assert.ok(table.size <= 4096);
  }
});

interface Counts {
  sent: number;
  lost: number;
  at: number;
}

/**
 * Calculates the expected packet counts of a host or network after their decay. Unlike the packet-loss table, this
 * function does not round times. `key`: key of the host or network.
 */
function fadedEntry(map: Map<number, Counts>, key: number, now: number): Counts {
  const found = map.get(key) ?? { sent: 0, lost: 0, at: now };
  const left = Math.exp(-(now - found.at) / LOSS_FADES_MS);
  const entry = { sent: found.sent * left, lost: found.lost * left, at: now };
  map.set(key, entry);
  return entry;
}

test('the packet-loss table has the same packet counts as a plain Map, even while the table grows and keys collide', () => {
  const table = new LossTable(2 ** 16);
  const map = new Map<number, Counts>();
  const below = randomNumbers(20_261);
  // The test makes two thirds of the host keys end in the same 20 bits, so that they collide in the packet-loss table
  // (a hash table). Each of these keys occurs several times.
  const keys = Array.from({ length: 6000 }, (_, i) => (i % 3 === 0 ? below(2 ** 32) | 0 : (i % 500) << 20));
  let now = start;
  for (let i = 0; i < 120_000; i++) {
    now += below(20);
    const key = keys[below(keys.length)] ?? 0;
    const entry = table.enter(key, now);
    const expected = fadedEntry(map, key, now);
    const [sent, lost] = [1 + below(3), below(2)];
    table.count(entry, sent, lost);
    expected.sent += sent;
    expected.lost += lost;
    assert.ok(
      Math.abs(table.sent(entry) - expected.sent) < 1e-3 * expected.sent,
      `sent of ${key} after ${i}`,
    );
    assert.ok(Math.abs(table.lost(entry) - expected.lost) < 1e-3 * (expected.lost + 1), `lost of ${key}`);
  }
  assert.equal(table.size, map.size);
  for (const key of map.keys()) assert.ok(table.find(key) >= 0, `${key}`);
});
