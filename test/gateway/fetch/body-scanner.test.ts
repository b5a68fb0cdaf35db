import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { BodyScanner } from '../../../gateway/fetch/body-scanner.ts';
import { ByteWriter } from '../../../proto/codec/byte-writer.ts';
import { gsqV1 } from '../../../proto/descriptors.ts';
import { randomNumbers } from '../../system/random-numbers.ts';

const scanner = new BodyScanner();

/**
 * Returns the game ids and server addresses that `BodyScanner` reads from a fetch body. Returns undefined if
 * `BodyScanner` does not support the body, so that JSON.parse must parse it.
 */
function scanned(body: string | Buffer): { game_id: string; servers: string[] }[] | undefined {
  const writer = new ByteWriter(1);
  writer.byte(0x08);
  const plain = scanner.scanBody(Buffer.from(body), writer);
  const bytes = writer.takeBytes();
  if (!plain) {
    assert.equal(bytes.length, 1, 'nothing is left of what it gave up');
    return undefined;
  }
  const { servers } = gsqV1.FetchServersRequest.deserialize(bytes.subarray(1));
  return servers.map(group => ({ game_id: group.gameId, servers: group.servers }));
}

describe('BodyScanner (a fast JSON parser for fetch requests)', () => {
  const plain = {
    'one address': { servers: [{ game_id: 'csgo', servers: ['1.2.3.4:27015'] }] },
    'no groups': { servers: [] },
    'no addresses': { servers: [{ game_id: 'csgo', servers: [] }] },
    'empty strings': { servers: [{ game_id: '', servers: ['', ''] }] },
    'a group with its keys in reverse order': { servers: [{ servers: ['a:1'], game_id: 'rust' }] },
    'many groups': {
      servers: Array.from({ length: 50 }, (_, i) => ({
        game_id: `game${i}`,
        servers: Array.from({ length: i }, (_, j) => `127.0.${i}.${j}:27015`),
      })),
    },
    'addresses that look like keys': {
      servers: [{ game_id: 'servers', servers: ['game_id', '_meta', '{}[],:'] }],
    },
  };
  for (const [what, body] of Object.entries(plain)) {
    test(`reads a body with ${what} correctly, with and without white space`, () => {
      const expected = body.servers.map(({ game_id, servers }) => ({ game_id, servers }));
      assert.deepEqual(scanned(JSON.stringify(body)), expected);
      assert.deepEqual(scanned(`\r\n\t ${JSON.stringify(body, null, '\t')} \n`), expected);
    });
  }

  const others = {
    'an empty body': '',
    'an unknown key': '{"servers":[],"more":1}',
    'an unknown key in a group': '{"servers":[{"game_id":"a","servers":[],"x":1}]}',
    'a repeated list of servers': '{"servers":[{"game_id":"a","servers":["b"],"servers":["c"]}]}',
    'a repeated game_id': '{"servers":[{"game_id":"a","game_id":"b","servers":["c"]}]}',
    'a group without game_id': '{"servers":[{"servers":[]}]}',
    'a group without addresses': '{"servers":[{"game_id":"a"}]}',
    'an empty group': '{"servers":[{}]}',
    'a string with an escape': '{"servers":[{"game_id":"a","servers":["\\u0061"]}]}',
    'text that is not ASCII': '{"servers":[{"game_id":"a","servers":["ü:1"]}]}',
    'a control character': '{"servers":[{"game_id":"a","servers":["\n"]}]}',
    'a number in place of an address': '{"servers":[{"game_id":"a","servers":[1]}]}',
    'null in place of a game_id': '{"servers":[{"game_id":null,"servers":[]}]}',
    'one comma too many': '{"servers":[{"game_id":"a","servers":["b",]}]}',
    'a missing comma': '{"servers":[{"game_id":"a" "servers":[]}]}',
    'a character after the JSON': '{"servers":[]}x',
    'a second object': '{"servers":[]}{"servers":[]}',
    'a byte order mark': '\ufeff{"servers":[]}',
    'Unicode white space': '\u00a0{"servers":[]}',
    'a JSON array': '[]',
    'the key __proto__': '{"__proto__":[],"servers":[]}',
  };
  for (const [what, body] of Object.entries(others)) {
    test(`leaves a body of this kind to JSON.parse: ${what}`, () => assert.equal(scanned(body), undefined));
  }

  test('leaves a body to JSON.parse if it is truncated at any byte', () => {
    const body = '{"servers":[{"game_id":"csgo","servers":["1.2.3.4:27015"]}]}';
    for (let length = 0; length < body.length; length++)
      assert.equal(scanned(body.slice(0, length)), undefined);
  });

  test('if it accepts a randomly mutated body, it reads the same values as JSON.parse', () => {
    const below = randomNumbers(9);
    const body =
      '{"servers":[{"game_id":"csgo","servers":["1.2.3.4:1","b:2"]},{"servers":[],"game_id":"x"}]}';
    const marks = '{}[]":, \\ab\u0000é'.split('');
    let read = 0;
    for (let round = 0; round < 50_000; round++) {
      const units = body.split('');
      for (let i = below(3); i >= 0; i--) units[below(units.length)] = marks[below(marks.length)] ?? '';
      const text = units.join('');
      const groups = scanned(text);
      if (!groups) continue;
      read++;
      const expected = JSON.parse(text).servers.map(({ game_id, servers }: (typeof groups)[number]) => ({
        game_id,
        servers,
      }));
      assert.deepEqual(groups, expected, text);
    }
    assert.ok(read > 500, `only ${read} of them were plain`);
  });
});
