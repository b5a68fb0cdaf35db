/**
 * Updates docs/protocols.md: the table of all games, and the numbers of games. Reads the game catalog and the prober's
 * list of protocols.
 */

/*
 * Usage:
 * npm run coverage                      write docs/protocols.md
 * npm run coverage -- --check           write nothing; exit with 1 if the page is out of date
 * npm run coverage -- --file <path>     read and write <path> instead of docs/protocols.md
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { directoryOf } from '../prober/directories/registry.ts';
import { protocols } from '../prober/protocols/registry.ts';
import { type CatalogGame, parseCatalog } from '../proto/catalog.ts';

const START = '<!-- coverage: written by npm run coverage -->';
const END = '<!-- coverage: end -->';
/** Maximum line length in docs/protocols.md, in characters. */
const LINE_LENGTH = 120;

const { values: flags } = parseArgs({
  options: { check: { type: 'boolean', default: false }, file: { type: 'string' } },
});
const pathOf = (path: string): string => fileURLToPath(new URL(`../${path}`, import.meta.url));
const file = flags.file ?? pathOf('docs/protocols.md');
const games = parseCatalog(readFileSync(pathOf('catalog.json'), 'utf8'), 'catalog.json');

const present = readFileSync(file, 'utf8');
const text = [fillCounts, fillRest, fillTable].reduce((page, fill) => fill(page, games), present);
if (present === text) {
  console.log(`${file}: up to date, ${games.length} games`);
} else if (flags.check) {
  console.error(`${file}: not what the script would write; run npm run coverage and review the difference`);
  process.exitCode = 1;
} else {
  writeFileSync(file, text);
  console.log(`${file}: written, ${games.length} games`);
}

/**
 * Updates the numbers of games in docs/protocols.md: for each protocol, for each public server list, and for all public
 * server lists together. Returns the new text of the page.
 */
function fillCounts(page: string, games: readonly CatalogGame[]): string {
  const count = (isOne: (game: CatalogGame) => boolean): number => games.filter(isOne).length;
  return page
    .replace(/^(\| `(\w+)` \| (?:UDP|TCP) \| .* \| )\d+( \|)$/gm, (_, row, name, end) => {
      return row + count(({ protocol }) => protocol === name) + end;
    })
    .replace(/^(\| `(\w+)` \| [\w, ]+ \| )\d+( \| [\w, -]+ \| \d+ \|)$/gm, (_, row, name, end) => {
      return row + count(({ directory }) => directory === name) + end;
    })
    .replace(/servers of \d+ games/, `servers of ${count(({ directory }) => directory !== undefined)} games`);
}

/**
 * Updates two texts of docs/protocols.md: the number of games that gsq queries with gamedig, and the list of the
 * protocols of these games. Returns the new text of the whole page.
 */
function fillRest(page: string, games: readonly CatalogGame[]): string {
  const left = games.filter(({ protocol }) => !protocols.has(protocol) && !directoryOf(protocol));
  const names = [...new Set(left.map(game => game.protocol))].sort();
  const numbers = page.replace(
    /other \d+(\s+)games, of (\d+)/,
    `other ${left.length}$1games, of ${names.length}`,
  );
  const list = wrap(`[gamedig](https://github.com/gamedig/node-gamedig) queries ${names.join(', ')}.`);
  return replaceOnce(numbers, /^\[gamedig\]\([^)]*\) queries [^.]*\./m, list);
}

/**
 * Replaces the table of all games in docs/protocols.md, between the start marker and the end marker. Returns the new
 * text of the whole page.
 */
function fillTable(page: string, games: readonly CatalogGame[]): string {
  const rows = games.map(({ id, name, protocol, needs }) => {
    return `| \`${id}\` | ${name.replaceAll('|', '\\|')} | \`${protocol}\` | ${askerOf(protocol)} | ${needs.join(', ')} |`;
  });
  const table = ['| id | game | protocol | asked by | needs |', '|---|---|---|---|---|', ...rows];
  const marked = new RegExp(`${START}[^]*${END}`);
  return replaceOnce(page, marked, [START, ...table, END].join('\n'));
}

/**
 * Returns a link for a protocol in docs/protocols.md. It leads to the description of the parser, library or public
 * server list with which gsq queries this protocol.
 */
function askerOf(protocol: string): string {
  if (protocols.has(protocol)) return `[own](#${protocol})`;
  const directory = directoryOf(protocol);
  return directory ? `[directory](#${directory.name})` : '[gamedig](#gamedig)';
}

function replaceOnce(page: string, what: RegExp, by: string): string {
  if (!what.test(page)) throw new Error(`${file}: nothing matches ${what}`);
  return page.replace(what, () => by);
}

function wrap(words: string): string {
  let line = '';
  const lines: string[] = [];
  for (const word of words.split(' ')) {
    if (line !== '' && line.length + 1 + word.length > LINE_LENGTH) {
      lines.push(line);
      line = word;
    } else line = line === '' ? word : `${line} ${word}`;
  }
  return [...lines, line].join('\n');
}
