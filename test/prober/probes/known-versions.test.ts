import assert from 'node:assert/strict';
import { test } from 'node:test';
import { KnownVersions } from '../../../prober/probes/known-versions.ts';

const MINUTE = 60_000;

function at(start: number) {
  const clock = { now: start };
  return { clock, versions: new KnownVersions(() => clock.now) };
}

test('the prober remembers the version of a server for an hour', () => {
  const { clock, versions } = at(5);
  assert.equal(versions.find('192.0.2.1', 16261), undefined);
  versions.learn('192.0.2.1', 16261, '41.78');
  clock.now += 59 * MINUTE;
  assert.equal(versions.find('192.0.2.1', 16261), '41.78');
  versions.learn('192.0.2.1', 16261, '41.78');
  clock.now += MINUTE;
  assert.equal(versions.find('192.0.2.1', 16261), undefined);
  versions.learn('192.0.2.1', 16261, '42.0');
  assert.equal(versions.find('192.0.2.1', 16261), '42.0');
});

test('the prober remembers for ten minutes that a server reported no version', () => {
  const { clock, versions } = at(0);
  versions.learn('192.0.2.1', 16261, '');
  clock.now += 10 * MINUTE - 1;
  assert.equal(versions.find('192.0.2.1', 16261), '');
  clock.now++;
  assert.equal(versions.find('192.0.2.1', 16261), undefined);
});

test('a remembered server version is not used for a different address or port', () => {
  const { versions } = at(0);
  versions.learn('192.0.2.1', 16261, '41');
  assert.equal(versions.find('192.0.2.1', 16262), undefined);
  assert.equal(versions.find('192.0.2.11', 6261), undefined);
  assert.equal(versions.find('2001:db8::1', 16261), undefined);
});

test('the prober remembers the versions of at most 16,384 game servers; if there are more, it forgets the version that it learned first', () => {
  const { versions } = at(0);
  versions.learn('192.0.2.1', 1, 'first');
  versions.learn('192.0.2.1', 2, 'second');
  for (let port = 0; port < 16_384 - 1; port++) versions.learn('192.0.2.2', port, 'more');
  assert.equal(versions.find('192.0.2.1', 1), undefined);
  assert.equal(versions.find('192.0.2.1', 2), 'second');
  versions.learn('192.0.2.3', 1, 'one more');
  assert.equal(versions.find('192.0.2.1', 2), undefined);
});
