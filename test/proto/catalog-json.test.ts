import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { describe, it } from 'node:test';
import { parseCatalog } from '../../proto/catalog.ts';

const require = createRequire(import.meta.url);
const {
  games: gamedigGames,
}: { games: Record<string, { extra?: { old_id?: string } }> } = require('gamedig');
const games = parseCatalog(
  readFileSync(new URL('../../catalog.json', import.meta.url), 'utf8'),
  'catalog.json',
);
const byId = new Map(games.map(game => [game.id, game]));

const overrides: {
  added: Record<string, { aliases?: string[] }>;
  games: Record<string, { aliases?: string[] }>;
} = require('../../scripts/catalog-overrides.json');
const addedIds = Object.keys(overrides.added);
const addedAliases = [...Object.values(overrides.added), ...Object.values(overrides.games)].flatMap(
  game => game.aliases ?? [],
);
const renamedIds = ['cs2d', 'il2sturmovik', 'jb007n', 'theforrest'];

describe('catalog.json', () => {
  it('has unique ids that match [a-z0-9]+, and non-empty names', () => {
    for (const { id, name } of games) {
      assert.match(id, /^[a-z0-9]+$/);
      assert.match(name, /\S/);
    }
    assert.equal(byId.size, games.length);
  });

  it('contains all game ids of gamedig, the ids that gamedig renamed, and the games of catalog-overrides.json', () => {
    assert.equal(Object.keys(gamedigGames).length, 358);
    assert.deepEqual(
      [...byId.keys()].sort(),
      [...Object.keys(gamedigGames), ...renamedIds, ...addedIds].sort(),
    );
  });

  it('lists old gamedig ids as aliases of their games, except four ids that gsq still uses as game ids', () => {
    const owners = new Map(games.flatMap(game => game.aliases.map(alias => [alias, game.id] as const)));
    for (const [id, { extra }] of Object.entries(gamedigGames)) {
      const oldId = extra?.old_id;
      if (oldId === undefined || renamedIds.includes(oldId)) continue;
      assert.equal(owners.get(oldId), id);
      assert.equal(byId.has(oldId), false);
    }
    assert.equal(owners.size, 134 + addedAliases.length);
  });

  it('contains only games that gamedig or gsq’s own code can query', () => {
    for (const { id, gamedigId } of games) {
      assert.ok(Object.hasOwn(gamedigGames, gamedigId) || addedIds.includes(id), id);
    }
    assert.deepEqual(
      renamedIds.map(id => byId.get(id)?.gamedigId),
      ['c2d', 'i2s', 'jb0n', 'theforest'],
    );
  });

  it('uses the protocol names of gsq, such as a2s, for games that gsq queries without gamedig', () => {
    const spoken = [
      'css',
      'counterstrike15',
      'theship',
      'q3a',
      'minecraft',
      'mbe',
      'mumble',
      'openttd',
      'discord',
    ];
    assert.deepEqual(
      spoken.map(id => byId.get(id)?.protocol),
      ['a2s', 'goldsrc', 'a2s', 'quake3', 'minecraft', 'bedrock', 'mumbleping', 'openttd', 'discord'],
    );
  });
});
