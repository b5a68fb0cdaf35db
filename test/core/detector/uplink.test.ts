import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LOSS_FADES_MS } from '../../../core/detector/loss-table.ts';
import { networkKeysOf } from '../../../core/detector/network-keys.ts';
import { Uplink, Uplinks } from '../../../core/detector/uplink.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const start = Date.UTC(2026, 0, 1);
const A = 0x010203;
const B = 0x010204;
const C = -77;

test("the estimated packet loss of the prober's connection is at least 1 %, even if no packet was lost, and rises if packets are lost", () => {
  const uplink = new Uplink(start);
  assert.equal(uplink.loss, 0.01);
  uplink.count(1000, 0, start);
  assert.equal(uplink.loss, 0.01, 'never less');
  uplink.count(1000, 200, start);
  assert.ok(Math.abs(uplink.loss - 200.16 / 2016) < 1e-9, `${uplink.loss}`);
});

test("the estimated packet loss of the prober's connection starts at 1 %, and one lost packet raises it to only 7 %", () => {
  const uplink = new Uplink(start);
  uplink.count(1, 1, start);
  assert.ok(Math.abs(uplink.loss - 1.16 / 17) < 1e-9);
});

test("the packet counts of a prober's connection fall to 1/e (37 %) in 90 s, even after the clock was set back", () => {
  const uplink = new Uplink(start);
  uplink.count(1000, 500, start);
  uplink.count(0, 0, start - HOUR);
  assert.ok(Math.abs(uplink.loss - 500.16 / 1016) < 1e-9);
  uplink.count(0, 0, start - HOUR + LOSS_FADES_MS);
  const left = 1000 / Math.E;
  assert.ok(Math.abs(uplink.loss - (left / 2 + 0.16) / (left + 16)) < 1e-9);
});

test('Uplink.heardOthers(network, from, to) is true only if a server outside of `network` answered between `from` and `to`', () => {
  const uplink = new Uplink(start);
  uplink.heard(A, 'csgo 1.2.3.4:1', start + 10_000);
  assert.equal(uplink.heardOthers(B, start + 9_000, start + 11_000), true);
  assert.equal(uplink.heardOthers(A, start + 9_000, start + 11_000), false, 'its own');
  assert.equal(uplink.heardOthers(B, start + 11_000, start + 12_000), false, 'before');
  assert.equal(uplink.heardOthers(B, start + 8_000, start + 9_000), false, 'after');
  uplink.heard(B, 'csgo 1.2.4.4:1', start + 10_010);
  assert.equal(uplink.heardOthers(A, start + 9_000, start + 11_000), true, 'two in one moment');
  assert.equal(uplink.heardOthers(B, start + 9_000, start + 11_000), true);
  uplink.heard(A, 'csgo 1.2.3.4:1', start + 10_020);
  assert.equal(uplink.heardOthers(A, start + 9_000, start + 11_000), true, 'in whatever order');
});

test('Uplink.heardOthers() ignores answers that servers sent more than about a minute ago', () => {
  const uplink = new Uplink(start);
  uplink.heard(A, 'csgo 1.2.3.4:1', start);
  assert.equal(uplink.heardOthers(B, start - 1000, start + 60_000), true);
  assert.equal(uplink.heardOthers(B, start - 1000, start + 70_000), false);
  // Fills the ring buffer of the Uplink object with new answers. The ring buffer stores the answers of the last 64 s,
  // so the new answers overwrite all older answers.
  for (let at = start + 64_000; at < start + 130_000; at += 250) uplink.heard(B, 'csgo 1.2.4.4:1', at);
  assert.equal(uplink.heardOthers(B, start, start + 130_000), false);
  assert.equal(uplink.heardOthers(A, start, start + 130_000), true);
});

test('Uplink.heardOthers() ignores an answer that a newer answer has overwritten in the ring buffer', () => {
  const uplink = new Uplink(start);
  uplink.heard(A, 'csgo 1.2.3.4:1', start);
  uplink.heard(B, 'csgo 1.2.4.4:1', start);
  uplink.heard(A, 'csgo 1.2.3.4:1', start + 64_000);
  assert.equal(uplink.heardOthers(A, start + 63_000, start + 65_000), false);
});

test('Uplink.expectsOthers(network) is true if an online server outside of `network` was probed in the last hour', () => {
  const uplink = new Uplink(start);
  assert.equal(uplink.expectsOthers(A, start), false, 'of nobody anything is known');
  uplink.heard(A, 'csgo 1.2.3.4:1', start);
  assert.equal(uplink.expectsOthers(A, start), false, 'there is none but itself');
  assert.equal(uplink.expectsOthers(B, start), true);
  uplink.missed(B, start + MINUTE);
  assert.equal(uplink.expectsOthers(A, start + MINUTE), true);
  assert.equal(uplink.expectsOthers(C, start + HOUR), true);
  assert.equal(uplink.expectsOthers(C, start + HOUR + MINUTE), false);
  assert.equal(uplink.expectsOthers(A, start + HOUR + MINUTE), false);
});

test('Uplink.witness(network) returns the server outside of `network` that answered last, or an empty string', () => {
  const uplink = new Uplink(start);
  assert.equal(uplink.witness(A), '');
  uplink.heard(A, 'csgo 1.2.3.4:1', start);
  uplink.heard(A, 'csgo 1.2.3.5:1', start);
  assert.deepEqual([uplink.witness(A), uplink.witness(B)], ['', 'csgo 1.2.3.5:1']);
  uplink.heard(B, 'csgo 1.2.4.4:1', start);
  assert.deepEqual([uplink.witness(A), uplink.witness(B)], ['csgo 1.2.4.4:1', 'csgo 1.2.3.5:1']);
  uplink.heard(A, 'csgo 1.2.3.6:1', start);
  uplink.heard(C, 'csgo a.example.com:1', start);
  assert.equal(uplink.witness(C), 'csgo 1.2.3.6:1');
  // The witness is a server whose answers show that the prober's own network connection works. Here, the witness is in
  // network A. A lost probe in network B says nothing about network A, so the witness stays the same.
  uplink.missed(B, start);
  assert.equal(uplink.witness(C), 'csgo 1.2.3.6:1');
});

test('Uplink.listeningSince is the time when the prober joined the core, or when its last network outage ended', () => {
  const uplink = new Uplink(start);
  assert.equal(uplink.listeningSince, start);
  for (let i = 0; i < 5; i++) uplink.outage.firstLook(i, false, start + MINUTE);
  assert.equal(uplink.outage.isOpen, true);
  assert.equal(uplink.listeningSince, start, 'while it is out, nothing is judged');
  uplink.heard(A, 'csgo 1.2.3.4:1', start + 2 * MINUTE);
  assert.equal(uplink.outage.isOpen, false);
  assert.equal(uplink.listeningSince, start + 2 * MINUTE);
});

test('Uplinks has one uplink for IPv4 addresses and host names, one for IPv6 addresses, and one for local addresses', () => {
  const uplinks = new Uplinks(start);
  const to = (server: string) => uplinks.uplinkTo(networkKeysOf(server));
  assert.equal(new Set(['1.2.3.4:1', '[2001:db8::1]:1', '10.0.0.1:1'].map(to)).size, 3);
  for (const [one, other] of [
    ['1.2.3.4:1', 'a.example.com:1'],
    ['[2001:db8::1]:1', '[2001:db8:1::1]:1'],
    ['10.0.0.1:1', '[fd00::1]:1'],
  ] as const)
    assert.equal(to(one), to(other));
});

for (const server of ['1.2.3.4:1', '[2001:db8::1]:1', '10.0.0.1:1'])
  test(`Uplinks.isAnyOut is true while only the uplink to ${server} is down`, () => {
    const uplinks = new Uplinks(start);
    const { outage } = uplinks.uplinkTo(networkKeysOf(server));
    for (let i = 0; i < 5; i++) outage.firstLook(i, false, start + MINUTE);
    assert.equal(uplinks.isAnyOut, true);
    outage.heard(start + 2 * MINUTE);
    assert.equal(uplinks.isAnyOut, false);
  });
