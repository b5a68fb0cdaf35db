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
const granted = { kind: 'granted' };

test('DirectoryOwners assigns no server list to a session in the first minute after the start of the core', () => {
  const owners = new DirectoryOwners<string>(START);
  assert.deepEqual(owners.claim('a', 'eos', START), { kind: 'quiet', ms: MINUTE_MS });
  assert.deepEqual(owners.claim('b', 'eos', LATER - 1), { kind: 'quiet', ms: 1 });
  assert.deepEqual(owners.claim('b', 'eos', LATER), granted);
});

test('DirectoryOwners assigns the server list of a publisher to the first session that claims it, and to no other session', () => {
  const owners = new DirectoryOwners<string>(START);
  assert.deepEqual(owners.claim('a', 'eos', LATER), granted);
  assert.deepEqual(owners.claim('b', 'eos', LATER), { kind: 'owned', by: 'a' });
  assert.deepEqual(owners.claim('a', 'eos', LATER), granted);
  assert.deepEqual(owners.claim('b', 'beammp', LATER), granted, 'directories have owners of their own');
});

test('DirectoryOwners assigns the server list of a publisher to a new session about a minute after the previous session ended', () => {
  const owners = new DirectoryOwners<string>(START);
  owners.claim('a', 'eos', LATER);
  owners.claim('b', 'beammp', LATER);
  owners.end('a', LATER + 5_000);
  assert.deepEqual(owners.claim('b', 'eos', LATER + 6_000), { kind: 'quiet', ms: MINUTE_MS - 1_000 });
  assert.deepEqual(owners.claim('c', 'beammp', LATER + 6_000), { kind: 'owned', by: 'b' });
  assert.deepEqual(owners.claim('c', 'eos', LATER + 5_000 + MINUTE_MS), granted);
  assert.deepEqual(owners.claim('b', 'eos', LATER + 5_000 + MINUTE_MS), { kind: 'owned', by: 'c' });
});

test('DirectoryOwners assigns the server list of a publisher immediately if the clock was set back after the previous session ended', () => {
  const owners = new DirectoryOwners<string>(START);
  owners.claim('a', 'eos', LATER);
  owners.end('a', LATER);
  assert.deepEqual(owners.claim('b', 'eos', LATER - 3_600_000), granted);
});

test('DirectoryOwners never allows two sessions to query the same server list of a publisher within a minute', () => {
  const owners = new DirectoryOwners<number>(START);
  let lastAsked = { session: -1, at: Number.NEGATIVE_INFINITY };
  let asked = 0;
  // Once a second, each of three prober sessions requests the right to query the server list. Only one session at a
  // time gets this right. Every 47 s, the oldest session ends and a new one starts.
  for (let second = 0, first = 0; second < 3_600; second++) {
    const now = START + second * 1_000;
    if (second % 47 === 46) owners.end(first++, now);
    for (let session = first; session < first + 3; session++) {
      if (owners.claim(session, 'eos', now).kind !== 'granted') continue;
      if (session !== lastAsked.session)
        assert.ok(now - lastAsked.at >= MINUTE_MS, `${session} at ${second} s`);
      lastAsked = { session, at: now };
      asked++;
    }
  }
  assert.ok(asked > 1_000, `${asked}`);
});
