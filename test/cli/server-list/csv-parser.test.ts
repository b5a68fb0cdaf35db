import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { CommandError } from '../../../cli/console/command.ts';
import { CsvParser } from '../../../cli/server-list/csv-parser.ts';
import { read } from './read-entries.ts';

describe('the parser of server lists in CSV', () => {
  test('finds the columns and the delimiter from the header line', async () => {
    for (const delimiter of [',', ';', '\t']) {
      const lines = [
        ['Name', ' ADDRESS ', 'note', 'Game_ID'],
        ['One', ' 127.0.0.1:1', '', 'csgo '],
        ['"Two"', '"127.0.0.1:2"', `"a ""quoted""${delimiter} note"`, '"cs2"'],
        ['5" server', '127.0.0.1:3', '', 'csgo', 'extra'],
        ['', '', '', ''],
      ];
      const list = `\ufeff${lines.map(fields => fields.join(delimiter)).join('\r\n')}\r\n\r\n`;
      assert.deepEqual(await read(list), ['2 csgo 127.0.0.1:1', '3 cs2 127.0.0.1:2', '4 csgo 127.0.0.1:3']);
    }
  });

  test('needs no game column if the user gives a default game', async () => {
    const list = 'server\n127.0.0.1:1\n';
    assert.deepEqual(await read(list, { game: 'csgo' }), ['2 csgo 127.0.0.1:1']);
    const both = 'game,server\n,127.0.0.1:1\ncs2,127.0.0.1:2\n';
    assert.deepEqual(await read(both, { game: 'csgo' }), ['2 csgo 127.0.0.1:1', '3 cs2 127.0.0.1:2']);
    assert.deepEqual(await read(both), ['2 missing_value', '3 cs2 127.0.0.1:2']);
  });

  test('refuses a line whose address or game is missing', async () => {
    const list = 'game_id,address\ncsgo\n,127.0.0.1:2\ncsgo,\ncsgo,127.0.0.1:5\n';
    assert.deepEqual(await read(list), [
      '2 missing_value',
      '3 missing_value',
      '4 missing_value',
      '5 csgo 127.0.0.1:5',
    ]);
  });

  test('accepts line ends in quoted fields, and gives each record the number of its first line', async () => {
    const list = 'note,game_id,address\n"two\r\n""lines""\n",csgo,127.0.0.1:1\n"\n",cs2,127.0.0.1:2';
    assert.deepEqual(await read(list), ['2 csgo 127.0.0.1:1', '5 cs2 127.0.0.1:2']);
  });

  test('refuses each line with an unclosed or misplaced quote, and reads all other lines', async () => {
    const good = (from: number, to: number) =>
      Array.from({ length: to - from + 1 }, (_, i) => `csgo,127.0.0.1:${from + i},"a ""note"""`);
    const list = [
      'game_id,address,note',
      ...good(2, 3),
      '"csgo,127.0.0.1:4',
      ...good(5, 6),
      'csgo,"127.0.0.1:7',
      'csgo,127.0.0.1:8',
      'csgo,"127.0.0.1:9',
      'csgo,127.0.0.1:10',
      '"csgo"x,127.0.0.1:11',
      ...good(12, 12),
      'csgo,127.0.0.1:13,"',
      ...Array.from({ length: 100 }, (_, i) => `csgo,127.0.0.1:${14 + i}`),
      'csgo,127.0.0.1:114,"at the end',
    ];
    const bad = new Set([4, 7, 9, 11, 13, 114]);
    const expected = list
      .map((_, i) => i + 1)
      .filter(line => line > 1)
      .map(line => (bad.has(line) ? `${line} malformed_line` : `${line} csgo 127.0.0.1:${line}`));
    assert.deepEqual(await read(list.join('\n')), expected);
  });

  test('refuses two consecutive lines that each contain one unmatched quote', async () => {
    const list = 'game_id,address,note\n"csgo,127.0.0.1:2\ncsgo,127.0.0.1:3,"\ncsgo,127.0.0.1:4\n';
    assert.deepEqual(await read(list), ['2 malformed_line', '3 malformed_line', '4 csgo 127.0.0.1:4']);
  });

  test('refuses a line with an unclosed quote, but reads all later records, even records with quoted line ends', async () => {
    const good = Array.from({ length: 20 }, (_, i) => `csgo,198.51.0.${i + 2}:27015,note`);
    const list = [
      'game_id,address,note',
      'csgo,198.51.0.1:27015,"oops',
      ...good,
      'csgo,198.51.0.99:27015,5"',
      'csgo,198.51.0.100:27015,"a real',
      'note, with a comma"',
      '"cs2",198.51.0.101:27015,"another',
      'note"',
    ];
    assert.deepEqual(await read(list.join('\n')), [
      '2 malformed_line',
      ...good.map((_, i) => `${i + 3} csgo 198.51.0.${i + 2}:27015`),
      '23 csgo 198.51.0.99:27015',
      '24 csgo 198.51.0.100:27015',
      '26 cs2 198.51.0.101:27015',
    ]);
    const noteFirst = 'note,game_id,address\n"oops,csgo,127.0.0.1:1\n5",csgo,127.0.0.1:2\n';
    assert.deepEqual(await read(noteFirst), ['2 malformed_line', '3 csgo 127.0.0.1:2']);
  });

  test('reads each line as a separate record if a quote is still open after 50 lines', () => {
    const parser = new CsvParser('');
    const readLine = (number: number, text: string) => parser.readLine({ number, text });
    readLine(1, 'game_id,address,note');
    assert.deepEqual(readLine(2, 'csgo,127.0.0.1:2,"'), []);
    for (let line = 3; line < 51; line++) assert.deepEqual(readLine(line, `csgo,127.0.0.1:${line}`), []);
    const lines = readLine(51, 'csgo,127.0.0.1:51').map(({ line }) => line);
    assert.deepEqual(
      lines,
      Array.from({ length: 50 }, (_, i) => i + 2),
    );
  });

  test('refuses the whole list if it has no usable header line', async () => {
    for (const [list, why] of [
      ['csgo,127.0.0.1:1\n', /^line 1: .*no column "address".*game_id,address$/],
      ['\n\naddress,note\n127.0.0.1:1,x\n', /^line 3: .*no column "game_id"/],
      [Buffer.of(0xff, 0xfe, 0x61), /^line 1: .*not UTF-8/],
    ] as const) {
      await assert.rejects(
        read(list, { format: 'csv' }),
        error => error instanceof CommandError && why.test(error.message),
      );
    }
  });
});
