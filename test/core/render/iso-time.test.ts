import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isoTime, writeIsoTime } from '../../../core/render/iso-time.ts';
import { ByteWriter } from '../../../proto/codec/byte-writer.ts';
import { randomNumbers } from '../../system/random-numbers.ts';

const written = (ms: number): string => {
  const out = new ByteWriter(1);
  writeIsoTime(out, ms);
  return out.takeBytes().toString();
};

test('isoTime returns a time with exactly three decimals, and null for the time 0', () => {
  assert.equal(isoTime(0), null);
  assert.equal(isoTime(1_700_000_000_000), '2023-11-14T22:13:20.000Z');
});

test('writeIsoTime writes every time in the same form as Date.toISOString', () => {
  const below = randomNumbers(5);
  const instants = [0, 1, 999, 86_399_999, 86_400_000, 951_782_400_000, -1, -62_198_755_200_000];
  for (const year of [1970, 2000, 2024, 2100, 9999, 10_000, 12_345]) {
    instants.push(Date.UTC(year, 1, 28, 23, 59, 59, 999), Date.UTC(year, 11, 31, 23, 59, 59, 999));
    instants.push(Date.UTC(year, 1, 29), 1.5 + Date.UTC(year, 0, 1));
  }
  for (let i = 0; i < 2000; i++) instants.push(below(2 ** 31) * 2000 + below(2000));
  for (const ms of instants) assert.equal(written(ms), JSON.stringify(isoTime(ms)), String(ms));
});
