import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openStatusLine, progressBar } from '../../../cli/console/status-line.ts';

/** Returns the lines that a terminal shows after it received `text`. */
function shownBy(text: string): string[] {
  let column = 0;
  const lines: string[][] = [[]];
  for (const character of text) {
    const line = lines.at(-1) ?? [];
    if (character === '\n') lines.push([]);
    if (character === '\n' || character === '\r') column = 0;
    else line[column++] = character;
  }
  return lines.map(line => line.join('').trimEnd());
}

test('on a terminal, the status line of gsq replaces its old text, and an empty text removes the line', () => {
  let text = '';
  const output = {
    columns: 20,
    write: (more: string) => {
      text += more;
    },
  };
  const line = openStatusLine(output);
  line.show('a long text of words that does not fit');
  assert.deepEqual(shownBy(text), ['a long text of word']);
  line.show('short');
  assert.deepEqual(shownBy(text), ['short']);
  line.show('');
  output.write('other output\n');
  line.show('again');
  assert.deepEqual(shownBy(text), ['other output', 'again']);
  assert.ok(!text.includes('\x1b'), 'no escape sequence, so NO_COLOR needs no rule of its own');
});

test('progressBar() returns a line that fits into the terminal, and omits the bar on a narrow terminal', () => {
  assert.equal(progressBar(0.5, '5 read', 20), '[##---]  50% 5 read');
  assert.equal(progressBar(0, '5 read', 17), '0% 5 read');
  assert.equal(progressBar(1.2, '5 read', 24), '[#########] 100% 5 read');
  for (const columns of [20, 40, 80, 300]) {
    for (const share of [0, 0.333, 1]) assert.ok(progressBar(share, '10000 read', columns).length < columns);
  }
});
