import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Line } from '../../../core/detector/line.ts';
import { LOSS_FADES_MS } from '../../../core/detector/loss-table.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const start = Date.UTC(2026, 0, 1);
const A = 0x010203;
const B = 0x010204;
const C = -77;

test('the loss of a line that lost nothing is one percent, and more only as packets are lost', () => {
  const line = new Line(start);
  assert.equal(line.loss, 0.01);
  line.count(1000, 0, start);
  assert.equal(line.loss, 0.01, 'never less');
  line.count(1000, 200, start);
  assert.ok(Math.abs(line.loss - 200.16 / 2016) < 1e-9, `${line.loss}`);
});

test('one lost packet of a new line is one of seventeen', () => {
  const line = new Line(start);
  line.count(1, 1, start);
  assert.ok(Math.abs(line.loss - 1.16 / 17) < 1e-9);
});

test('the loss of a line fades by a factor e in 90 s, and a clock that is set back fades nothing', () => {
  const line = new Line(start);
  line.count(1000, 500, start);
  line.count(0, 0, start - HOUR);
  assert.ok(Math.abs(line.loss - 500.16 / 1016) < 1e-9);
  line.count(0, 0, start - HOUR + LOSS_FADES_MS);
  const left = 1000 / Math.E;
  assert.ok(Math.abs(line.loss - (left / 2 + 0.16) / (left + 16)) < 1e-9);
});

test('another network was heard if it answered between the two times, its own answers do not tell', () => {
  const line = new Line(start);
  line.heard(A, 'csgo 1.2.3.4:1', start + 10_000);
  assert.equal(line.heardOthers(B, start + 9_000, start + 11_000), true);
  assert.equal(line.heardOthers(A, start + 9_000, start + 11_000), false, 'its own');
  assert.equal(line.heardOthers(B, start + 11_000, start + 12_000), false, 'before');
  assert.equal(line.heardOthers(B, start + 8_000, start + 9_000), false, 'after');
  line.heard(B, 'csgo 1.2.4.4:1', start + 10_010);
  assert.equal(line.heardOthers(A, start + 9_000, start + 11_000), true, 'two in one moment');
  assert.equal(line.heardOthers(B, start + 9_000, start + 11_000), true);
  line.heard(A, 'csgo 1.2.3.4:1', start + 10_020);
  assert.equal(line.heardOthers(A, start + 9_000, start + 11_000), true, 'in whatever order');
});

test('who answered is known for a minute', () => {
  const line = new Line(start);
  line.heard(A, 'csgo 1.2.3.4:1', start);
  assert.equal(line.heardOthers(B, start - 1000, start + 60_000), true);
  assert.equal(line.heardOthers(B, start - 1000, start + 70_000), false);
  // Its slot is written again 64 s later, and says nothing of now.
  for (let at = start + 64_000; at < start + 130_000; at += 250) line.heard(B, 'csgo 1.2.4.4:1', at);
  assert.equal(line.heardOthers(B, start, start + 130_000), false);
  assert.equal(line.heardOthers(A, start, start + 130_000), true);
});

test('a slot says nothing of what it said a minute before', () => {
  const line = new Line(start);
  line.heard(A, 'csgo 1.2.3.4:1', start);
  line.heard(B, 'csgo 1.2.4.4:1', start);
  line.heard(A, 'csgo 1.2.3.4:1', start + 64_000);
  assert.equal(line.heardOthers(A, start + 63_000, start + 65_000), false);
});

test('others are expected to answer for an hour after one did, or one that ought to was silent', () => {
  const line = new Line(start);
  assert.equal(line.expectsOthers(A, start), false, 'of nobody anything is known');
  line.heard(A, 'csgo 1.2.3.4:1', start);
  assert.equal(line.expectsOthers(A, start), false, 'there is none but itself');
  assert.equal(line.expectsOthers(B, start), true);
  line.missed(B, start + MINUTE);
  assert.equal(line.expectsOthers(A, start + MINUTE), true);
  assert.equal(line.expectsOthers(C, start + HOUR), true);
  assert.equal(line.expectsOthers(C, start + HOUR + MINUTE), false);
  assert.equal(line.expectsOthers(A, start + HOUR + MINUTE), false);
});

test('the witness is the server of another network that answered last', () => {
  const line = new Line(start);
  assert.equal(line.witness(A), '');
  line.heard(A, 'csgo 1.2.3.4:1', start);
  line.heard(A, 'csgo 1.2.3.5:1', start);
  assert.deepEqual([line.witness(A), line.witness(B)], ['', 'csgo 1.2.3.5:1']);
  line.heard(B, 'csgo 1.2.4.4:1', start);
  assert.deepEqual([line.witness(A), line.witness(B)], ['csgo 1.2.4.4:1', 'csgo 1.2.3.5:1']);
  line.heard(A, 'csgo 1.2.3.6:1', start);
  line.heard(C, 'csgo a.example.com:1', start);
  assert.equal(line.witness(C), 'csgo 1.2.3.6:1');
  // One that was silent is no witness.
  line.missed(B, start);
  assert.equal(line.witness(C), 'csgo 1.2.3.6:1');
});

test('silence has counted since the prober joined, or since its line was last out', () => {
  const line = new Line(start);
  assert.equal(line.listeningSince, start);
  for (let i = 0; i < 5; i++) line.outage.firstLook(i, false, start + MINUTE);
  assert.equal(line.outage.isOpen, true);
  assert.equal(line.listeningSince, start, 'while it is out, nothing is judged');
  line.heard(A, 'csgo 1.2.3.4:1', start + 2 * MINUTE);
  assert.equal(line.outage.isOpen, false);
  assert.equal(line.listeningSince, start + 2 * MINUTE);
});
