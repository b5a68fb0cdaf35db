import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LEASE_IDS, LeaseNumbers } from '../../../core/servers/lease-numbers.ts';
import { randomNumbers } from '../../system/random-numbers.ts';

for (const [what, first] of [
  ['in the middle of the id range', 12_345],
  ['at the end of the id range, where they start again at 0', LEASE_IDS - 3_000],
] as const) {
  test(`LeaseNumbers (maps ids of ordered probes to numbers) returns the same results as a Map (ids ${what})`, () => {
    const below = randomNumbers(7);
    const numbers = new LeaseNumbers();
    const expected = new Map<number, number>();
    let next = first;
    for (let round = 0; round < 3_000; round++) {
      // Adds leases of servers, but skips some lease ids. In a core, each prober has its own list of leases. Ids that
      // belong to leases of other probers are missing in this list.
      for (let i = below(8); i > 0; i--) {
        numbers.addLease(next, round);
        expected.set(next, round);
        next = (next + 1 + below(3)) % LEASE_IDS;
      }
      const held = [...expected.keys()];
      for (let i = below(8); i > 0 && held.length > 0; i--) {
        const id = held[below(held.length)] ?? -1;
        assert.equal(numbers.get(id), expected.get(id) ?? -1);
        assert.equal(numbers.remove(id), expected.get(id) ?? -1);
        assert.equal(numbers.remove(id), -1);
        expected.delete(id);
      }
      if (below(500) === 0)
        for (const id of expected.keys()) assert.equal(numbers.remove(id), expected.get(id));
      if (numbers.size === 0) expected.clear();
      assert.equal(numbers.size, expected.size);
      assert.equal(numbers.oldest, expected.keys().next().value ?? -1);
      if (round % 100 === 0) assert.deepEqual([...numbers.ids()], [...expected.keys()]);
    }
    assert.ok(expected.size > 0 && next !== first);
  });
}

test('LeaseNumbers (maps ids of ordered probes to numbers) finds nothing for an unknown id, even for -1, 0.5 or NaN', () => {
  const numbers = new LeaseNumbers();
  for (const empty of [0, 5, -1]) assert.equal(numbers.get(empty), -1);
  for (let id = 0; id < 5; id++) numbers.addLease(id, 7);
  for (const id of [
    -1,
    5,
    1_024,
    LEASE_IDS,
    LEASE_IDS + 2,
    2 ** 32 + 2,
    2 ** 53,
    0.5,
    Number.NaN,
    Number.POSITIVE_INFINITY,
  ]) {
    assert.equal(numbers.get(id), -1);
    assert.equal(numbers.remove(id), -1);
  }
  assert.equal(numbers.size, 5);
});
