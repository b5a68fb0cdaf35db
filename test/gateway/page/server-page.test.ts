import assert from 'node:assert/strict';
import { test } from 'node:test';
import { descriptionOf } from '../../../gateway/page/server-page.ts';
import { onlineWith } from './views/hostile-texts.ts';

test('the description of a server page says "player" for one player and otherwise "players"', () => {
  const described = (players: number): string =>
    descriptionOf({ ...onlineWith('Vanilla'), players }, 'Rust').replace(/^.*: /, '');
  assert.deepEqual([0, 1, 2].map(described), [
    'online with 0 players',
    'online with 1 player',
    'online with 2 players',
  ]);
});
