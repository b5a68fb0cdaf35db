import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { preferredWait } from '../../../gateway/fetch/prefer-wait.ts';

const cases: [string, number | undefined][] = [
  ['', undefined],
  ['respond-async', undefined],
  ['wait=3', 3],
  ['wait=0', 0],
  ['Wait = "2"', 2],
  ['wait=5', 5],
  ['wait=100', 5],
  ['respond-async, wait=4; foo=bar', 4],
  ['wait=1, wait=2', 1],
  ['wait=-1', undefined],
  ['wait=1.5', undefined],
  ['wait', undefined],
  ['await=3', undefined],
];

describe('preferredWait() (the seconds that a caller wants to wait)', () => {
  for (const [header, seconds] of cases) {
    test(`returns ${seconds} for the header "Prefer: ${header}"`, () =>
      assert.equal(preferredWait(header), seconds));
  }
});
