import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DirectoryOwners } from '../../../core/schedule/directory-owner.ts';

const START = 1_000_000;
/**
 * Waiting time between two prober sessions, ms: one minute plus a safety margin. Only one prober session at a time may
 * query a publisher's server list. After the end of this session, no other session may query the list during the
 * waiting time.
 */
const MINUTE_MS = 63_000;
const LATER = START + MINUTE_MS;

test('in the first minute after the start of the core, no prober session may query a public server list', () => {
  const owners = new DirectoryOwners<string>(START);
  assert.equal(owners.claim('a', 'eos', START), MINUTE_MS);
  assert.equal(owners.claim('a', 'eos', LATER - 1), 1);
  assert.equal(owners.claim('a', 'eos', LATER), 0);
});

test('after a prober session has become the owner of a public server list, it may query the list at any time; another list can have another owner', () => {
  const owners = new DirectoryOwners<string>(START);
  assert.equal(owners.claim('a', 'eos', LATER), 0);
  assert.equal(owners.claim('a', 'eos', LATER + 1), 0);
  assert.equal(owners.claim('b', 'beammp', LATER + 1), 0);
});

test('if a second prober session wants to query a public server list, no session may query the list for about a minute; after that, the second session may', () => {
  const owners = new DirectoryOwners<string>(START);
  owners.claim('a', 'eos', LATER);
  assert.equal(owners.claim('b', 'eos', LATER + 5_000), MINUTE_MS);
  assert.equal(owners.claim('b', 'eos', LATER + 6_000), MINUTE_MS - 1_000);
  assert.equal(owners.claim('b', 'eos', LATER + 5_000 + MINUTE_MS), 0);
});

test('after the prober session that owned a public server list ends, no session may query the list for about a minute', () => {
  const owners = new DirectoryOwners<string>(START);
  owners.claim('a', 'eos', LATER);
  owners.claim('b', 'beammp', LATER);
  owners.end('a', LATER + 5_000);
  assert.equal(owners.claim('b', 'eos', LATER + 6_000), MINUTE_MS - 1_000);
  assert.equal(owners.claim('b', 'beammp', LATER + 6_000), 0);
  assert.equal(owners.claim('b', 'eos', LATER + 5_000 + MINUTE_MS), 0);
});

test('a prober session may query a public server list at once, without the usual pause, if the clock was set back after the session of the previous owner had ended', () => {
  const owners = new DirectoryOwners<string>(START);
  owners.claim('a', 'eos', LATER);
  owners.end('a', LATER);
  assert.equal(owners.claim('b', 'eos', LATER - 3_600_000), 0);
});

test('DirectoryOwners never allows two prober sessions to query the same public server list within a minute', () => {
  const owners = new DirectoryOwners<number>(START);
  let lastAsked = { session: -1, at: Number.NEGATIVE_INFINITY };
  let asked = 0;
  // Simulates two hours. Every 197 s, a new prober session begins to call `claim` for the public server list, and the
  // previous session stops its calls. Half of the previous sessions end at this moment; the others stay open.
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
