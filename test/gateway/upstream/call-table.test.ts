import assert from 'node:assert/strict';
import { afterEach, describe, test } from 'node:test';
import { CallTable } from '../../../gateway/upstream/call-table.ts';
import { PendingCall } from '../../../gateway/upstream/pending-call.ts';
import { ServiceError } from '../../../proto/service-error.ts';
import { randomNumbers } from '../../system/random-numbers.ts';

const error = new ServiceError('CORE_2', 'late');
const outcome = { succeed(): void {}, fail(): void {} };

const unsettled = new Set<PendingCall>();

/** A call under the next id, in the table until it is settled. */
function added(table: CallTable): PendingCall {
  const settled = (call: PendingCall): void => {
    unsettled.delete(call);
    table.remove(call);
  };
  const holder = { late: () => error, settled };
  const id = table.newId();
  assert.ok(id < 2 ** 32, 'an id has 32 bits');
  const call = new PendingCall(id, Buffer.alloc(0), 60_000, outcome, holder);
  table.add(call);
  unsettled.add(call);
  return call;
}

describe('calls by id', () => {
  afterEach(() => {
    for (const call of unsettled) call.fail(error);
  });

  test('a call is found by its id until it is settled', () => {
    const table = new CallTable(4);
    const calls = [added(table), added(table), added(table)];
    assert.equal(new Set(calls.map(({ id }) => id)).size, 3);
    assert.equal(table.size, 3);
    for (const call of calls) assert.equal(table.find(call.id), call);
    calls[1]?.fail(error);
    assert.equal(table.size, 2);
    assert.deepEqual(
      calls.map(({ id }) => table.find(id)),
      [calls[0], undefined, calls[2]],
    );
    for (const call of [calls[0], calls[2]]) call?.fail(error);
    assert.equal(table.size, 0);
  });

  test('an id that came too late finds nothing, whoever has its place by now', () => {
    const table = new CallTable(3);
    const late = added(table);
    late.fail(error);
    const calls = [added(table), added(table), added(table)];
    assert.equal(table.find(late.id), undefined);
    for (const call of calls) call.fail(error);
    // Of four places one is its own, sooner or later.
    for (let i = 0; i < 8; i++) {
      const call = added(table);
      assert.equal(table.find(late.id), undefined);
      assert.equal(table.find(call.id), call);
      assert.equal(table.find(call.id + 4), undefined);
      assert.equal(table.find(call.id + 2 ** 31), undefined);
      call.fail(error);
    }
    for (const id of [0, 1, 2 ** 32 - 1]) assert.equal(table.find(id), undefined);
  });

  for (const room of [1, 2, 3, 4, 5, 512]) {
    test(`${room} calls have room, and a new id never takes the place of one of them`, () => {
      const below = randomNumbers(room);
      const table = new CallTable(room);
      const staying = added(table);
      const calls: PendingCall[] = [];
      const given = new Set<number>([staying.id]);
      for (let step = 0; step < 5000; step++) {
        if (table.size < room && below(3) > 0) {
          const call = added(table);
          assert.ok(!given.has(call.id), `${call.id} was given twice`);
          given.add(call.id);
          calls.push(call);
        } else calls.splice(below(calls.length), 1)[0]?.fail(error);
        assert.equal(table.size, calls.length + 1);
        assert.equal(table.find(staying.id), staying);
      }
      for (const call of calls) {
        assert.equal(table.find(call.id), call);
        call.fail(error);
      }
      staying.fail(error);
      assert.equal(table.size, 0);
    });
  }

  test('ids go on with 0 after the last that 32 bits can hold', () => {
    const table = new CallTable(4, 2 ** 32 - 3);
    const calls = Array.from({ length: 4 }, () => added(table));
    assert.deepEqual(
      calls.map(({ id }) => id),
      [2 ** 32 - 2, 2 ** 32 - 1, 0, 1],
    );
    for (const call of calls) assert.equal(table.find(call.id), call);
  });

  test('those that are chosen, of those that are in', () => {
    const table = new CallTable(8);
    const [one, other] = [{ load: 0 }, { load: 0 }];
    const calls = Array.from({ length: 8 }, () => added(table));
    for (const [i, call] of calls.entries()) call.carrier = i % 2 === 0 ? one : other;
    const of = (wanted: unknown) => new Set(table.filter(({ carrier }) => carrier === wanted));
    assert.deepEqual(of(one), new Set(calls.filter((_, i) => i % 2 === 0)));
    calls[2]?.fail(error);
    assert.deepEqual(of(one), new Set([calls[0], calls[4], calls[6]]));
    assert.equal(of(undefined).size, 0);
    // They may be settled while they are gone through.
    for (const call of of(other)) call.fail(error);
    assert.equal(of(other).size, 0);
    assert.equal(table.filter(() => true).length, 3);
    for (const call of of(one)) call.fail(error);
  });
});
