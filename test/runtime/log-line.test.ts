import assert from 'node:assert/strict';
import { test } from 'node:test';
import { logLine } from '../../runtime/log-line.ts';

const fields = { level: 40, time: Date.UTC(2026, 0, 1), pid: 1, hostname: 'vm', name: 'prober' };
const line = (more: object, columns?: number): string =>
  logLine(`${JSON.stringify({ ...fields, ...more })}\n`, columns);

test('the log for a terminal shows time, process, level, message and all further fields of a log line', () => {
  assert.match(
    line({ msg: 'replies are lost', asked: 3, game_id: 'rust' }),
    /^\d\d:\d\d:\d\d prober warning: replies are lost asked=3 game_id=rust\n$/,
  );
});

test('the log for a terminal shows the message of an error, but not its stack trace', () => {
  const err = { type: 'Error', message: 'disk full', stack: 'Error: disk full\n    at store.ts:1' };
  assert.match(line({ level: 50, err, msg: 'defect' }), /^\S+ prober error: defect \(disk full\)\n$/);
});

test('the log for a terminal replaces control characters, because they could manipulate the terminal', () => {
  const text = line({ msg: 'name', server_name: 'a\u001b[2J\u0007\nb\u202e', other: { x: '\u009b' } });
  assert.match(text, /server_name=a \[2J {2}b {2}other=\{"x":" "\}\n$/);
});

test('the log for a terminal breaks a long line at blanks, so that the line fits the terminal', () => {
  const text = line({ msg: 'the kernel grants small buffers; raise the limit' }, 40);
  assert.deepEqual(text.split('\n').slice(1), ['  grants small buffers; raise the limit', '']);
  for (const part of text.split('\n')) assert.ok(part.length <= 40, part);
});
