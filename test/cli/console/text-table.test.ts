import assert from 'node:assert/strict';
import { test } from 'node:test';
import { outputOf } from '../../../cli/console/output.ts';
import { jsonLine } from '../../../cli/console/printable.ts';
import { heading, TextTable } from '../../../cli/console/text-table.ts';
import { textWidth, wrapText } from '../../../cli/console/text-width.ts';
import { HOSTILE_TEXTS } from '../../gateway/page/views/hostile-texts.ts';
import { FakeTerminal } from '../fake-terminal.ts';

const FAMILY = '👩‍👩‍👧‍👦';
const NAMES = [
  'A server with a plain name that is longer than a line of a narrow terminal',
  '日本語サーバー東京大阪京都名古屋札幌福岡神戸横浜千葉仙台広島岡山',
  `${FAMILY}${FAMILY} family ${FAMILY}${FAMILY}${FAMILY}${FAMILY}`,
  '한국어 서버 서울 부산 대구 인천 광주 대전 울산 세종 경기 강원',
  'Cafe\u0301 re\u0301sume\u0301 '.repeat(8),
  '❤️🏴‍☠️👍🏽'.repeat(9),
  '\x1b[2J\x1b]0;title\x07\x9b31m bell\x07 \u202eright to left\u202c \u2066isolated\u2069 \u200fmark',
];
const rows = [
  heading('GAME', 'SERVER', 'STATUS', 'REASON', 'PLAYERS', 'LAST ONLINE', 'CREDENTIALS', 'NAME'),
  ...NAMES.map((name, i) => [
    'counterstrike2',
    `play${'x'.repeat(i * 9)}.example.org:27015`,
    { text: 'online', style: 'good' as const },
    'no_reply',
    '12/64',
    '3 min ago',
    'secret, query_port',
    name,
  ]),
];

for (const columns of [80, 40, 20]) {
  test(`a table on a terminal of ${columns} columns contains all its text, without wrapped lines or cut characters`, () => {
    const terminal = new FakeTerminal(columns);
    const table = new TextTable(outputOf(terminal, {}));
    terminal.write(table.format(rows));
    assert.deepEqual(terminal.faults, []);
    const shown = terminal.plain.replace(/\s/g, '');
    for (const name of NAMES.slice(0, -1)) {
      for (const word of name.split(' ')) {
        // A narrow table breaks long words into pieces on several lines, so the test searches for each piece.
        const pieces = columns < 80 ? [word] : wrapText(word, 8);
        for (const piece of pieces) assert.ok(shown.includes(piece), `${piece} in\n${terminal.plain}`);
      }
    }
  });
}

test('a table that gsq prints to a file or pipe has one line for each row, and aligned columns', () => {
  const text = new TextTable(outputOf({}, {})).format(rows);
  const lines = text.trimEnd().split('\n');
  assert.equal(lines.length, rows.length);
  assert.ok(!text.includes('\x1b'));
  const begins = lines.slice(1).map(line => textWidth(line.slice(0, line.indexOf('online'))));
  assert.equal(new Set(begins).size, 1);
  const wide = new TextTable(outputOf({}, {})).format([
    ['日本', 'a'],
    ['x', 'b'],
  ]);
  assert.equal(wide, '日本  a\nx     b\n');
});

test('a table replaces characters that could manipulate a terminal, and keeps emoji whole', () => {
  const text = new TextTable(outputOf({}, {})).format([['\x1b[31m\x9b1m\u202eabc\u200f\r\n\x7f', FAMILY]]);
  assert.equal(text, ` [31m 1m abc      ${FAMILY}\n`);
});

test('a table replaces the unprintable characters of hostile texts, and keeps each row on one line if the output is not a terminal', () => {
  for (const text of HOSTILE_TEXTS) {
    const terminal = new FakeTerminal(80);
    terminal.write(new TextTable(outputOf(terminal, {})).format([[text, text, text]]));
    assert.deepEqual(terminal.faults, [], JSON.stringify(text.slice(0, 40)));
    const toFile = new TextTable(outputOf({}, {})).format([['a', text, 'z']]);
    assert.match(toFile, /^a [^\n]*z\n$/);
    assert.doesNotMatch(toFile, /(?!\n)[\p{C}\p{Zl}\p{Zp}]/u);
  }
});

test('textWidth counts the columns of wide characters, combining marks, emoji and flags', () => {
  for (const [text, width] of [
    ['abc', 3],
    ['日本', 4],
    ['한글', 4],
    ['ｶﾅ', 2],
    ['Ａ！', 4],
    ['e\u0301', 1],
    ['🚀', 2],
    ['❤️', 2],
    ['🇩🇪', 2],
    ['１', 2],
    ['é', 1],
    ['→', 1],
  ] as const) {
    assert.equal(textWidth(text), width, text);
  }
});

test('jsonLine escapes characters that could manipulate a terminal, and changes no value', () => {
  const value = { name: '\x1b\x9b31m\u202eabc\u{e0001} 日本' };
  const text = jsonLine(value);
  assert.match(text, /^[^\p{C}]*\n$/u);
  assert.deepEqual(JSON.parse(text), value);
});
