import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DirectoryOwners } from '../../../core/schedule/directory-owner.ts';

const START = 1_000_000;
/**
 * Time for which a prober session must wait before it takes over a public server list from another session, ms. It is
 * one minute plus a safety margin.
 */
const MINUTE_MS = 63_000;
const LATER = START + MINUTE_MS;

test('in the first minute after the start of the core, no prober session may query a public server list', () => {
  const owners = new DirectoryOwners<string>(START);
  assert.equal(owners.claim('a', 'eos', START), MINUTE_MS);
  assert.equal(owners.claim('a', 'eos', LATER - 1), 1);
  assert.equal(owners.claim('a', 'eos', LATER), 0);
});

test('a prober session that queries a public server list may query this list again without a pause', () => {
  const owners = new DirectoryOwners<string>(START);
  assert.equal(owners.claim('a', 'eos', LATER), 0);
  assert.equal(owners.claim('a', 'eos', LATER + 1), 0);
  assert.equal(owners.claim('b', 'beammp', LATER + 1), 0);
});

test('a second prober session must wait about a minute before it may query the same public server list', () => {
  const owners = new DirectoryOwners<string>(START);
  owners.claim('a', 'eos', LATER);
  assert.equal(owners.claim('b', 'eos', LATER + 5_000), MINUTE_MS);
  assert.equal(owners.claim('b', 'eos', LATER + 6_000), MINUTE_MS - 1_000);
  assert.equal(owners.claim('b', 'eos', LATER + 5_000 + MINUTE_MS), 0);
});

test('for about a minute after a prober session ends, no other session may query its public server lists', () => {
  const owners = new DirectoryOwners<string>(START);
  owners.claim('a', 'eos', LATER);
  owners.claim('b', 'beammp', LATER);
  owners.end('a', LATER + 5_000);
  assert.equal(owners.claim('b', 'eos', LATER + 6_000), MINUTE_MS - 1_000);
  assert.equal(owners.claim('b', 'beammp', LATER + 6_000), 0);
  assert.equal(owners.claim('b', 'eos', LATER + 5_000 + MINUTE_MS), 0);
});

test('if the clock was set back, a prober session may query a public server list without the usual pause', () => {
  const owners = new DirectoryOwners<string>(START);
  owners.claim('a', 'eos', LATER);
  owners.end('a', LATER);
  assert.equal(owners.claim('b', 'eos', LATER - 3_600_000), 0);
});

test('two prober sessions may never query the same public server list within a minute of each other', () => {
  const owners = new DirectoryOwners<number>(START);
  let lastAsked = { session: -1, at: Number.NEGATIVE_INFINITY };
  let asked = 0;
  // Simulates two hours. A new prober session begins every 197 s. Only the newest session calls `claim` to query the
  // public server list. Half of the older sessions stay open.
  for (let second = 0, session = 0; second < 7_200; second++) {
    const now = START + second * 1_000;
    if (second % 197 === 196) {
      if (session % 2 === 0) owners.end(session, now);
      session++;
    }
    if (owners.claim(session, 'eos', now) > 0) continue;
    if (session !== lastAsked.session)
      assert.ok(now - lastAsked.at >= MINUTE_MS, `${session} at ${second} s`);
    lastAsked = { session, at: now };
    asked++;
  }
  assert.ok(asked > 3_000, `${asked}`);
});
