import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FailedHandshakes } from '../../runtime/failed-handshakes.ts';
import { createLogger } from '../../runtime/log.ts';

test('a process logs at most one failed TLS handshake a minute for each combination of peer and cause', () => {
  let now = 0;
  const told: string[] = [];
  const log = createLogger('test', 'silent');
  log.warn = ({ peer, cause }: { peer: string; cause: string }) => void told.push(`${peer} ${cause}`);
  const failures = new FailedHandshakes('the port', log, () => now);
  const note = (peer: string, cause: string) => failures.logFailure(peer, cause);
  note('192.0.2.1', 'a');
  note('192.0.2.1', 'a');
  now = 59_999;
  note('192.0.2.1', 'a');
  assert.deepEqual(told, ['192.0.2.1 a']);
  note('192.0.2.1', 'b');
  note('192.0.2.2', 'a');
  now = 60_000;
  note('192.0.2.1', 'a');
  assert.deepEqual(told.slice(1), ['192.0.2.1 b', '192.0.2.2 a', '192.0.2.1 a']);
});

test('a process logs at most 101 lines a minute about failed TLS handshakes, even if the clock is set back', () => {
  let now = 3_600_000;
  let lines = 0;
  const log = createLogger('test', 'silent');
  log.warn = () => void lines++;
  const failures = new FailedHandshakes('the port', log, () => now);
  for (const at of [now, now + 60_000, now - 60_000]) {
    now = at;
    lines = 0;
    for (let i = 0; i < 1000; i++) failures.logFailure(`2001:db8::${i}`, 'a');
    assert.equal(lines, 101);
  }
});
