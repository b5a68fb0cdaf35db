import assert from 'node:assert/strict';
import { test } from 'node:test';
import { mergeSorted } from '../../../../core/store/redis/sorted-merge.ts';
import { randomNumbers } from '../../../system/random-numbers.ts';

const isLess = (a: number, b: number): boolean => a < b;

test('mergeSorted() yields the elements of sorted lists in order, also if some lists are empty or contain equal elements', () => {
  assert.deepEqual([...mergeSorted([], isLess)], []);
  assert.deepEqual([...mergeSorted([[], [1], []], isLess)], [1]);
  const random = randomNumbers(7);
  for (let round = 0; round < 200; round++) {
    const lists = Array.from({ length: random(40) }, () =>
      Array.from({ length: random(30) }, () => random(50)).sort((a, b) => a - b),
    );
    const expected = lists.flat().sort((a, b) => a - b);
    assert.deepEqual([...mergeSorted(lists, isLess)], expected);
  }
});
