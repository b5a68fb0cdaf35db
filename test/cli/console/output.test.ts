import assert from 'node:assert/strict';
import { test } from 'node:test';
import { outputOf } from '../../../cli/console/output.ts';
import { openTerminal } from '../../../cli/console/terminal.ts';
import { readableTime } from '../../../cli/console/timestamp.ts';
import { FakeTerminal } from '../fake-terminal.ts';

const tty = { isTTY: true, columns: 80 };

test('gsq uses colours only on a terminal, unless NO_COLOR or FORCE_COLOR is set', () => {
  for (const [stream, env, coloured] of [
    [tty, {}, true],
    [{}, {}, false],
    [tty, { NO_COLOR: '1' }, false],
    [tty, { NO_COLOR: '' }, true],
    [tty, { TERM: 'dumb' }, false],
    [{}, { FORCE_COLOR: '1' }, true],
    [{}, { FORCE_COLOR: '' }, true],
    [tty, { FORCE_COLOR: '0' }, false],
    [tty, { FORCE_COLOR: '1', NO_COLOR: '1' }, true],
  ] as const) {
    const text = outputOf(stream, env).paint('bad', 'x');
    assert.equal(text, coloured ? '\x1b[31mx\x1b[39m' : 'x', JSON.stringify([stream, env]));
  }
});

test('the output of gsq is as wide as the terminal; output to a file or pipe has no width limit', () => {
  const stream = { isTTY: true, columns: 80 };
  const output = outputOf(stream, {});
  stream.columns = 40;
  assert.equal(output.columns, 40);
  assert.equal(outputOf({ isTTY: true, columns: 0 }, {}).columns, 80);
  assert.equal(outputOf({ columns: 40 }, {}).columns, Number.POSITIVE_INFINITY);
});

test('a message on stderr fits the terminal and is coloured, even if stdout is not a terminal', () => {
  const stdout = new FakeTerminal(80, false);
  const stderr = new FakeTerminal(40);
  const stdin = { isTTY: true } as unknown as Parameters<typeof openTerminal>[0]['stdin'];
  const terminal = openTerminal({ stdin, stdout, stderr, env: {} });
  terminal.talk(`gsq: there is no host \x1b[2J\u202e日本.example, and this message is longer than a line`);
  assert.deepEqual(stderr.faults, []);
  assert.ok(stderr.text.startsWith('\x1b[31mgsq:\x1b[39m there is no host'), stderr.text);
  assert.equal(terminal.stdout.paint('good', 'x'), 'x');
  assert.equal(terminal.openScreen, undefined);
});

test('gsq prints times as "3 min ago" or as a date on a terminal, and in ISO 8601 format elsewhere', () => {
  const now = () => Date.parse('2026-06-15T12:00:00.000Z');
  const terminal = outputOf(tty, {});
  for (const [iso, text] of [
    ['2026-06-15T11:57:00.000Z', '3 min ago'],
    ['2026-06-15T11:59:48.000Z', '12 s ago'],
    ['2026-06-15T12:00:00.400Z', 'now'],
    ['2026-06-15T07:00:00.000Z', '5 h ago'],
    ['2026-06-10T12:00:00.000Z', '5 days ago'],
    ['2026-06-21T11:59:59.990Z', 'in 6 days'],
    ['2026-01-31T12:00:00.000Z', '2026-01-31'],
    ['2027-01-31T12:00:00.000Z', '2027-01-31'],
  ] as const) {
    assert.equal(readableTime(iso, terminal, now), text);
    assert.equal(readableTime(iso, outputOf({}, {}), now), iso);
  }
  assert.equal(readableTime(null, terminal, now), null);
});
