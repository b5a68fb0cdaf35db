import { readFileSync } from 'node:fs';
import { CatalogError, type CatalogGame, parseCatalog } from '../../proto/catalog.ts';
import { nearest } from './suggestion.ts';

/** Returns the letters and digits of a text, in lower case. */
function simplified(text: string): string {
  return text.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, '');
}

/** Returns true if the id or the name of a game contains a word. Ignores case, blanks and punctuation. */
export function matchesGame({ id, name }: { id: string; name: string }, word: string): boolean {
  const sought = simplified(word);
  return sought !== '' && (simplified(id).includes(sought) || simplified(name).includes(sought));
}

/**
 * Reads the games of a catalog file, for suggestions and shell completion. Returns an empty list if the file is
 * unreadable or invalid, so that no command fails.
 */
export function knownGames(path: string): CatalogGame[] {
  try {
    return parseCatalog(readFileSync(path, 'utf8'), path);
  } catch (error) {
    if (error instanceof CatalogError || (error instanceof Error && 'code' in error)) return [];
    throw error;
  }
}

/**
 * Returns the ids of the games that the user perhaps meant, or undefined if the word is the id or an alias of a game.
 * Compares the word with ids, aliases and names.
 */
export function suggestGames(word: string, games: readonly CatalogGame[]): string[] | undefined {
  if (games.some(({ id, aliases }) => id === word || aliases.includes(word))) return undefined;
  const ids = new Map<string, string>();
  for (const { id, name, aliases } of games) {
    for (const known of [simplified(name), ...aliases, id]) ids.set(known, id);
  }
  const meant = nearest(simplified(word), ids.keys()).map(known => ids.get(known) ?? known);
  if (meant.length > 0) return [...new Set(meant)];
  const found = games.filter(game => matchesGame(game, word)).sort((a, b) => a.name.length - b.name.length);
  return found.slice(0, 3).map(({ id }) => id);
}
