import assert from 'node:assert/strict';
import type { GameOfDirectory } from './game-of-directory.ts';
import { gamesWithJsonList } from './json-list-games.ts';
import { gamesWithLookUps } from './look-up-games.ts';
import { gamesWithOtherList } from './other-list-games.ts';

/** Test data for every game with a public server list. */
export const games: readonly GameOfDirectory[] = [
  ...gamesWithJsonList,
  ...gamesWithOtherList,
  ...gamesWithLookUps,
];

/** Returns the test data for the game with this protocol. */
export function game(protocol: string): GameOfDirectory {
  const found = games.find(each => each.protocol === protocol);
  assert.ok(found);
  return found;
}
