import assert from 'node:assert/strict';
import { test } from 'node:test';
import { randomNumbers } from '../system/random-numbers.ts';
import { History, type Told } from './history.ts';

type Event = readonly [began: string, told?: Told];

/**
 * Returns the faults that the check for lost inserts finds in the fetches of one server. Each event starts or ends a
 * fetch: `['a']` starts the fetch `a`, and `['a', 'known']` ends it with the result `known`. A fetch without a start
 * event starts immediately before its end.
 */
function faults(...events: Event[]): string[] {
  const history = new History();
  const began = new Map<string, number>();
  for (const [name, told] of events) {
    if (told === undefined) began.set(name, history.moment());
    else history.add('pair', began.get(name) ?? history.moment(), told);
  }
  return history.violations().map(({ what }) => what);
}

const whole: Record<string, Event[]> = {
  'inserted, then known': [
    ['a', 'inserted'],
    ['b', 'known'],
    ['c', 'known'],
  ],
  'refused, then inserted': [
    ['a', 'refused'],
    ['b', 'inserted'],
  ],
  'no answer, then known': [
    ['a', 'unknown'],
    ['b', 'known'],
  ],
  'no answer, then inserted by another fetch': [
    ['a', 'unknown'],
    ['b', 'inserted'],
    ['c', 'known'],
  ],
  'no answer, refused, then known': [
    ['a', 'unknown'],
    ['b', 'refused'],
    ['c', 'known'],
  ],
  'no answer, then always refused': [
    ['a', 'unknown'],
    ['b', 'refused'],
    ['c', 'refused'],
  ],
  'known to a fetch that began before the insert ended': [['a'], ['b'], ['b', 'known'], ['a', 'inserted']],
  'refused to a fetch that began before the insert ended': [['b'], ['a', 'inserted'], ['b', 'refused']],
  'known during a fetch that gets no answer': [['a'], ['b', 'known'], ['a', 'unknown']],
};

for (const [name, events] of Object.entries(whole)) {
  test(`the check for lost or repeated inserts accepts these fetch results of one server: ${name}`, () =>
    assert.deepEqual(faults(...events), []));
}

const broken: Record<string, [RegExp, ...Event[]]> = {
  'inserted twice': [/inserted 2 times/, ['a', 'inserted'], ['b', 'inserted']],
  'inserted by two fetches at the same time': [
    /inserted 2 times/,
    ['a'],
    ['b'],
    ['a', 'inserted'],
    ['b', 'inserted'],
  ],
  'inserted again after it was lost': [
    /inserted 2 times/,
    ['a', 'inserted'],
    ['b', 'known'],
    ['c', 'inserted'],
  ],
  'inserted, then missing': [/^lost: ack/, ['a', 'inserted'], ['b', 'refused']],
  'inserted, known, then missing': [/^lost: ack/, ['a', 'inserted'], ['b', 'known'], ['c', 'refused']],
  'no answer, known, then missing': [/^lost: tracked/, ['a', 'unknown'], ['b', 'known'], ['c', 'refused']],
  'no answer, known, then inserted': [/inserted twice/, ['a', 'unknown'], ['b', 'known'], ['c', 'inserted']],
  'known without any earlier fetch': [/^invented/, ['a', 'known']],
  'known before the only fetch without an answer': [/^invented/, ['a', 'known'], ['b', 'unknown']],
  'refused, then known': [/^invented/, ['a', 'refused'], ['b', 'known']],
};

for (const [name, [what, ...events]] of Object.entries(broken)) {
  test(`the check for lost or repeated inserts rejects these fetch results of one server: ${name}`, () => {
    const found = faults(...events);
    assert.equal(found.length, 1);
    assert.match(found[0] ?? '', what);
  });
}

test('the check for lost or repeated inserts looks at each pair of game and address separately', () => {
  const history = new History();
  for (const [pair, told] of [
    ['a', 'inserted'],
    ['b', 'known'],
    ['a', 'known'],
    ['c', 'refused'],
    ['d', 'unknown'],
  ] as const) {
    history.add(pair, history.moment(), told);
  }
  assert.deepEqual(
    history.violations().map(({ pair }) => pair),
    ['b'],
  );
  assert.deepEqual(history.acknowledged, ['a']);
  assert.deepEqual(history.pairs, ['a', 'b', 'c', 'd']);
  assert.deepEqual(history.count(), { inserted: 1, known: 2, refused: 1, unknown: 1 });
});

/**
 * Simulates concurrent fetches of one server. If `lose` is true, the service loses the server at the end. Returns the
 * faults that the checker finds. Returns undefined if this loss is no fault, because no insert was acknowledged.
 */
function simulated(seed: number, lose: boolean): string[] | undefined {
  const random = randomNumbers(seed);
  const history = new History();
  const calls: { began: number; told?: Told }[] = [];
  let tracked = false;
  for (let step = 0; step < 60; step++) {
    const call = calls[random(calls.length + 1)];
    if (!call) calls.push({ began: history.moment() });
    else if (call.told === undefined) {
      call.told = tracked ? 'known' : random(8) === 0 ? 'refused' : 'inserted';
      if (call.told === 'inserted') tracked = true;
    } else {
      calls.splice(calls.indexOf(call), 1);
      history.add('pair', call.began, random(4) > 0 ? call.told : 'unknown');
    }
  }
  for (const { began } of calls) history.add('pair', began, 'unknown');
  // The service may lose the server if no caller received an acknowledgement of its insert.
  if (lose && history.acknowledged.length === 0) return undefined;
  // Adds a final fetch of the server. Its result is `known` if the simulated service still tracks the server, and
  // `refused` if it does not.
  history.add('pair', history.moment(), tracked && !lose ? 'known' : 'refused');
  return history.violations().map(({ what }) => what);
}

test('the check for lost or repeated inserts accepts the fetch results of 2000 simulated services that lose no server', () => {
  for (let seed = 0; seed < 2000; seed++) assert.deepEqual(simulated(seed, false), [], `seed ${seed}`);
});

test('the check for lost or repeated inserts finds each acknowledged insert that a simulated service loses', () => {
  let lost = 0;
  for (let seed = 0; seed < 2000; seed++) {
    const found = simulated(seed, true);
    if (!found) continue;
    lost++;
    assert.equal(found.length, 1, `seed ${seed}`);
  }
  assert.ok(lost > 500, `${lost}`);
});
