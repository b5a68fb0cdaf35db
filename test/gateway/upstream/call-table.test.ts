import assert from 'node:assert/strict';
import { afterEach, describe, test } from 'node:test';
import { CallTable } from '../../../gateway/upstream/call-table.ts';
import { PendingCall } from '../../../gateway/upstream/pending-call.ts';
import { ServiceError } from '../../../proto/service-error.ts';
import { randomNumbers } from '../../system/random-numbers.ts';

const error = new ServiceError('CORE_2', 'late');
const outcome = { succeed(): void {}, fail(): void {} };

const unsettled = new Set<PendingCall>();

/** Adds a call with a new id to a call table. Returns the call. */
function added(table: CallTable): PendingCall {
  const forgetCall = (call: PendingCall): void => {
    unsettled.delete(call);
    table.removeCall(call);
  };
  const owner = { timeoutError: () => error, forgetCall };
  const id = table.newId();
  assert.ok(id < 2 ** 32, 'an id has 32 bits');
  const call = new PendingCall(id, Buffer.alloc(0), 60_000, outcome, owner);
  table.addCall(call);
  unsettled.add(call);
  return call;
}

describe('CallTable (calls to the core)', () => {
  afterEach(() => {
    for (const call of unsettled) call.fail(error);
  });

  test('finds a call by its id until the call gets its result', () => {
    const table = new CallTable(4);
    const calls = [added(table), added(table), added(table)];
    assert.equal(new Set(calls.map(({ id }) => id)).size, 3);
    assert.equal(table.size, 3);
    for (const call of calls) assert.equal(table.findCall(call.id), call);
    calls[1]?.fail(error);
    assert.equal(table.size, 2);
    assert.deepEqual(
      calls.map(({ id }) => table.findCall(id)),
      [calls[0], undefined, calls[2]],
    );
    for (const call of [calls[0], calls[2]]) call?.fail(error);
    assert.equal(table.size, 0);
  });

  test('finds no call by the id of an ended call, even if a new call uses the same slot of the table', () => {
    const table = new CallTable(3);
    const late = added(table);
    late.fail(error);
    const calls = [added(table), added(table), added(table)];
    assert.equal(table.findCall(late.id), undefined);
    for (const call of calls) call.fail(error);
    // The table has four slots (array elements), so eight calls in a row use each slot twice. The ended call `late` has
    // used one of these slots. The id of `late` must find no call, even while a new call uses this slot.
    for (let i = 0; i < 8; i++) {
      const call = added(table);
      assert.equal(table.findCall(late.id), undefined);
      assert.equal(table.findCall(call.id), call);
      assert.equal(table.findCall(call.id + 4), undefined);
      assert.equal(table.findCall(call.id + 2 ** 31), undefined);
      call.fail(error);
    }
    for (const id of [0, 1, 2 ** 32 - 1]) assert.equal(table.findCall(id), undefined);
  });

  for (const room of [1, 2, 3, 4, 5, 512]) {
    test(`still finds an open call after thousands of newer calls have ended (capacity ${room})`, () => {
      const below = randomNumbers(room);
      const table = new CallTable(room);
      const permanent = added(table);
      const calls: PendingCall[] = [];
      const given = new Set<number>([permanent.id]);
      for (let step = 0; step < 5000; step++) {
        if (table.size < room && below(3) > 0) {
          const call = added(table);
          assert.ok(!given.has(call.id), `${call.id} was given twice`);
          given.add(call.id);
          calls.push(call);
        } else calls.splice(below(calls.length), 1)[0]?.fail(error);
        assert.equal(table.size, calls.length + 1);
        assert.equal(table.findCall(permanent.id), permanent);
      }
      for (const call of calls) {
        assert.equal(table.findCall(call.id), call);
        call.fail(error);
      }
      permanent.fail(error);
      assert.equal(table.size, 0);
    });
  }

  test('continues with the id 0 after the largest 32-bit id', () => {
    const table = new CallTable(4, 2 ** 32 - 3);
    const calls = Array.from({ length: 4 }, () => added(table));
    assert.deepEqual(
      calls.map(({ id }) => id),
      [2 ** 32 - 2, 2 ** 32 - 1, 0, 1],
    );
    for (const call of calls) assert.equal(table.findCall(call.id), call);
  });

  test('filterCalls returns all calls in progress for which the given condition is true', () => {
    const table = new CallTable(8);
    const [one, other] = [{ load: 0 }, { load: 0 }];
    const calls = Array.from({ length: 8 }, () => added(table));
    for (const [i, call] of calls.entries()) call.carrier = i % 2 === 0 ? one : other;
    const of = (wanted: unknown) => new Set(table.filterCalls(({ carrier }) => carrier === wanted));
    assert.deepEqual(of(one), new Set(calls.filter((_, i) => i % 2 === 0)));
    calls[2]?.fail(error);
    assert.deepEqual(of(one), new Set([calls[0], calls[4], calls[6]]));
    assert.equal(of(undefined).size, 0);
    // Ends all calls on the stream `other`. After that, `filterCalls` must return none of them, because a call that
    // has ended is no longer in the call table.
    for (const call of of(other)) call.fail(error);
    assert.equal(of(other).size, 0);
    assert.equal(table.filterCalls(() => true).length, 3);
    for (const call of of(one)) call.fail(error);
  });
});
