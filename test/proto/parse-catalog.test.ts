import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { CatalogError, type CatalogGame, MAX_CATALOG_BYTES, parseCatalog } from '../../proto/catalog.ts';

describe('parseCatalog', () => {
  const parse = (value: unknown): CatalogGame[] => parseCatalog(JSON.stringify(value), 'games.json');
  const game = { id: 'css', name: 'Counter-Strike: Source', protocol: 'a2s' };
  const refused = (text: string, message: string | RegExp): void => {
    assert.throws(
      () => parseCatalog(text, 'games.json'),
      error => {
        assert.ok(error instanceof CatalogError);
        if (typeof message === 'string') assert.equal(error.message, message);
        else assert.match(error.message, message);
        return true;
      },
    );
  };

  it('sets omitted fields to their defaults, and keeps the order of the games', () => {
    const full = {
      id: 'arma3',
      name: 'ARMA 3',
      protocol: 'a2s',
      gamedigId: 'arma3x',
      port: 2302,
      queryPort: 65535,
      queryPortOffsets: [1, -1],
      needs: ['option', 'directory'],
      directory: 'eos',
      aliases: ['a3'],
    };
    assert.deepEqual(parse([game, full]), [
      { ...game, gamedigId: 'css', queryPortOffsets: [], needs: [], aliases: [] },
      full,
    ]);
  });

  const faults: [what: string, value: unknown, message: string][] = [
    [
      'a file without an array',
      { games: [] },
      'games.json: must hold a JSON array of games, [{"id": ..., "name": ..., "protocol": ...}, ...]',
    ],
    ['a file without games', [], 'games.json: holds no game; add at least one'],
    [
      'a file with too many games',
      Array.from({ length: 10_001 }, () => game),
      'games.json: holds 10001 games, more than 10000; remove some',
    ],
    [
      'an entry that is not an object',
      [game, 'x'],
      'games.json: entry 1: must be an object with at least "id", "name" and "protocol"',
    ],
    [
      'an unknown field',
      [{ ...game, ports: 1 }],
      'games.json: entry 0 (id "css"): field "ports" is not known; remove it, or use one of id, name, protocol, gamedigId, port, queryPort, queryPortForAll, queryPortOffsets, needs, directory, aliases',
    ],
    [
      'a missing id',
      [{ name: 'x', protocol: 'a2s' }],
      'games.json: entry 0: field "id" is missing; set it to 1 to 64 of the characters a-z and 0-9',
    ],
    [
      'an id with forbidden characters',
      [{ ...game, id: 'CS-S' }],
      'games.json: entry 0: field "id" is "CS-S"; it must be 1 to 64 of the characters a-z and 0-9',
    ],
    [
      'an empty name',
      [{ ...game, name: '' }],
      'games.json: entry 0 (id "css"): field "name" is ""; it must be 1 to 128 visible characters without space around them',
    ],
    [
      'a name with a line break',
      [{ ...game, name: 'a\nb' }],
      'games.json: entry 0 (id "css"): field "name" is "a\\nb"; it must be 1 to 128 visible characters without space around them',
    ],
    [
      'a port out of range',
      [{ ...game, port: 65_536 }],
      'games.json: entry 0 (id "css"): field "port" is 65536; it must be a port from 1 to 65535',
    ],
    [
      'a port in a string',
      [{ ...game, queryPort: '1' }],
      'games.json: entry 0 (id "css"): field "queryPort" is "1"; it must be a port from 1 to 65535',
    ],
    [
      'a field that is null',
      [{ ...game, port: null }],
      'games.json: entry 0 (id "css"): field "port" is null; it must be a port from 1 to 65535',
    ],
    [
      'an offset of 0',
      [{ ...game, queryPortOffsets: [0] }],
      'games.json: entry 0 (id "css"): field "queryPortOffsets" is [0]; it must be an array of at most 8 distances between two ports, not 0',
    ],
    [
      'a name with space around it',
      [{ ...game, name: 'x ' }],
      'games.json: entry 0 (id "css"): field "name" is "x "; it must be 1 to 128 visible characters without space around them',
    ],
    [
      'more than 8 offsets',
      [{ ...game, queryPortOffsets: [1, 2, 3, 4, 5, 6, 7, 8, 9] }],
      'games.json: entry 0 (id "css"): field "queryPortOffsets" is [1,2,3,4,5,6,7,8,9]; it must be an array of at most 8 distances between two ports, not 0',
    ],
    [
      'an unknown need',
      [{ ...game, needs: ['luck'] }],
      'games.json: entry 0 (id "css"): field "needs" is ["luck"]; it must be an array of at most 3 of credentials, option, directory',
    ],
    [
      'a directory without the need of a directory',
      [{ ...game, directory: 'eos' }],
      'games.json: entry 0 (id "css"): field "directory" goes with "directory" among "needs"; give both or neither',
    ],
    [
      'the need of a directory without its name',
      [{ ...game, needs: ['directory'] }],
      'games.json: entry 0 (id "css"): field "directory" goes with "directory" among "needs"; give both or neither',
    ],
    [
      'an alias that occurs twice',
      [{ ...game, aliases: ['x', 'x'] }],
      'games.json: alias "x" of entry 0 (id "css") is taken by alias "x" of entry 0 (id "css"); keep one of them',
    ],
    [
      'an id that occurs twice',
      [game, game],
      'games.json: id "css" of entry 1 is taken by id "css" of entry 0; keep one of them',
    ],
    [
      'an alias that is the id of a later game',
      [
        { ...game, aliases: ['tf2'] },
        { ...game, id: 'tf2' },
      ],
      'games.json: alias "tf2" of entry 0 (id "css") is taken by id "tf2" of entry 1; keep one of them',
    ],
  ];
  for (const [what, value, message] of faults) {
    it(`refuses ${what}, and the error says where the fault is and how to correct it`, () =>
      refused(JSON.stringify(value), message));
  }

  it('refuses the unknown field __proto__ like any other unknown field', () => {
    refused(
      '[{"__proto__":{"id":"css"},"name":"x","protocol":"a2s"}]',
      /^games\.json: entry 0: field "__proto__" is not known;/,
    );
  });

  it('reports the line and column of the error if the text is not valid JSON', () => {
    refused(
      '[\n{"id":"a"},\n]\n',
      'games.json: line 3, column 1: not JSON from "]\\n" on; mend the text there',
    );
    refused(
      '[\n{"id" "a"}]',
      'games.json: line 2, column 7: not JSON from "\\"a\\"}]" on; mend the text there',
    );
    refused('[\n', 'games.json: line 2, column 1: ends too early; mend the text there');
  });

  it('refuses a text that is larger than the maximum size of a catalog', () => {
    refused(`[${' '.repeat(MAX_CATALOG_BYTES)}]`, /^games\.json: larger than 4194304 bytes;/);
  });
});
