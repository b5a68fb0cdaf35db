import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { chunksOf, entriesOf, read } from './read-entries.ts';

describe('the parser of server lists in plain text', () => {
  test('reads a game and an address from each line, and skips comments', async () => {
    const list =
      '# my servers\n\ncsgo 127.0.0.1:1\n\t cs2\t127.0.0.1:2  # new\r\n#csgo 127.0.0.1:3\ncsgo [2001:db8::1]:4';
    assert.deepEqual(await read(list), ['3 csgo 127.0.0.1:1', '4 cs2 127.0.0.1:2', '6 csgo [2001:db8::1]:4']);
  });

  test('uses the default game of the user for lines without a game', async () => {
    const list = '[2001:db8::1]:4\n127.0.0.1:1\ncs2 127.0.0.1:2\n';
    assert.deepEqual(await read(list, { game: 'csgo' }), [
      '1 csgo [2001:db8::1]:4',
      '2 csgo 127.0.0.1:1',
      '3 cs2 127.0.0.1:2',
    ]);
    assert.deepEqual(await read(list), ['1 missing_value', '2 missing_value', '3 cs2 127.0.0.1:2']);
  });

  test('refuses a line with more than two words', async () => {
    assert.deepEqual(await read('csgo 127.0.0.1 27015\ncsgo a:1'), ['1 malformed_line', '2 csgo a:1']);
  });
});

test('readList guesses the format of a list from the first line after the comments if the file name does not show the format', async () => {
  const list = '# game_id, address\n\n#{\ncsgo 127.0.0.1:4\n';
  assert.deepEqual(await read(list), ['4 csgo 127.0.0.1:4']);
  assert.deepEqual(await read(list.replace('csgo ', 'address\n'), { game: 'cs2' }), ['5 cs2 127.0.0.1:4']);
});

describe('the parser of server lists in JSON lines', () => {
  test('reads the game and the address from the object in each line, and ignores other keys', async () => {
    const list =
      '{"game_id":"csgo","server":"127.0.0.1:1","players":[1,{}]}\r\n\n {"server":"127.0.0.1:\\u0032","game_id":"cs2"}';
    assert.deepEqual(await read(list), ['1 csgo 127.0.0.1:1', '3 cs2 127.0.0.1:2']);
    assert.deepEqual(
      await read('{"server":"127.0.0.1:1"}\n{"game_id":"cs2","server":"a:2"}', { game: 'csgo' }),
      ['1 csgo 127.0.0.1:1', '2 cs2 a:2'],
    );
  });

  test('refuses a line that is not an object with a game and an address', async () => {
    const lines = [
      '{"game_id":"csgo"',
      '["csgo"]',
      'null',
      '"csgo"',
      '{"game_id":1,"server":"a:1"}',
      '# csgo a:1',
    ];
    const values = ['{"game_id":"csgo"}', '{"server":"a:1"}', '{"game_id":null,"server":null}', '{}'];
    assert.deepEqual(await read([...lines, ...values].join('\n'), { format: 'jsonl' }), [
      ...lines.map((_, i) => `${i + 1} malformed_line`),
      ...values.map((_, i) => `${lines.length + i + 1} missing_value`),
    ]);
  });

  test('replaces an unpaired surrogate by U+FFFD, as gRPC does when it sends an address', async () => {
    assert.deepEqual(await read('{"game_id":"csgo","server":"\\ud800:1"}'), ['1 csgo \ufffd:1']);
  });
});

test('readList reads the same servers and refused lines from a list that arrives in chunks of any size', async () => {
  const lists = [
    '\ufeff# ä\ncsgo 127.0.0.1:1 # €\r\n\ncs2\n',
    '\ufeffgame_id;address;n\r\ncsgo;127.0.0.1:1;"ä\r\n""€"""\r\n"cs2;127.0.0.1:2\n"cs2";"127.0.0.1:3";\n',
    '\ufeff{"game_id":"csgo","server":"ä:1"}\r\n{"game_id":\n',
  ];
  for (const list of lists) {
    const bytes = Buffer.concat([Buffer.from(list), Buffer.of(0xff, 0x0a), Buffer.from('end')]);
    const whole = await entriesOf(chunksOf(bytes, bytes.length), {});
    assert.ok(whole.length > 2);
    for (let size = 1; size < bytes.length; size++) {
      assert.deepEqual(await entriesOf(chunksOf(bytes, size), {}), whole, `chunks of ${size}`);
    }
  }
});
