/**
 * Writes catalog.json and prints the changes. The games come from the games table of the installed gamedig package and
 * from scripts/catalog-overrides.json.
 */

/*
 * Usage:
 * npm run catalog                       write catalog.json
 * npm run catalog -- --check            write nothing; exit with 1 if the file is out of date
 * npm run catalog -- --file <path>      read and write <path> instead of catalog.json
 * npm run catalog -- --overrides <path> read <path> instead of scripts/catalog-overrides.json
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { type CatalogGame, type Need, parseCatalog } from '../proto/catalog.ts';
import { neededAccess } from '../proto/game-access.ts';

const require = createRequire(import.meta.url);

/** One game of gamedig's table (`gamedig/lib/games.js`): only the fields that the catalog uses. */
interface GamedigGame {
  name: string;
  options: {
    protocol: string;
    port?: number;
    port_query?: number;
    port_query_offset?: number | number[];
  };
  extra?: { old_id?: string };
}

/**
 * Manual corrections of gamedig's table of games. The script fails if a correction has no effect, because such a
 * correction is outdated and must be deleted.
 */
interface Overrides {
  /** Protocol ids of gsq, keyed by the protocol id of gamedig. */
  protocols: Record<string, string>;
  /**
   * Ids of public server lists, keyed by the protocol id of gsq. Such a list is a web service that lists the servers of
   * a game.
   */
  directories: Record<string, string>;
  /**
   * Current game ids of gamedig, keyed by the former id. The catalog contains both ids, because callers still use the
   * former id.
   */
  renamed: Record<string, string>;
  games: Record<string, Partial<CatalogGame> & { why: string }>;
  /** Games that gamedig does not support, keyed by id. */
  added: Record<string, Omit<Entry, 'id'> & { source: string }>;
}

/**
 * Pattern of the property `source` of a game that gamedig does not support. The property contains the URL of a page
 * that documents how to query the game. After a space, the name of a file or section can follow.
 */
const SOURCE = /^https:\/\/[^\s/]+\.[a-z]+\/\S*( \S.*)?$/;

type Entry = Partial<CatalogGame> & Pick<CatalogGame, 'id'>;

const fieldOrder = [
  'id',
  'name',
  'protocol',
  'gamedigId',
  'port',
  'queryPort',
  'queryPortForAll',
  'queryPortOffsets',
  'needs',
  'directory',
  'aliases',
] satisfies (keyof CatalogGame)[];

const { values: flags } = parseArgs({
  options: {
    check: { type: 'boolean', default: false },
    file: { type: 'string' },
    overrides: { type: 'string' },
  },
});
const overridesPath = flags.overrides ?? fileURLToPath(new URL('catalog-overrides.json', import.meta.url));
const file = flags.file ?? fileURLToPath(new URL('../catalog.json', import.meta.url));

const { games: table }: { games: Record<string, GamedigGame> } = require('gamedig');
const overrides: Overrides = JSON.parse(readFileSync(overridesPath, 'utf8'));
const text = formatCatalog(buildCatalog(table, overrides));
const games = parseCatalog(text, 'the catalog built from gamedig');

const present = existsSync(file) ? readFileSync(file, 'utf8') : '[\n]\n';
for (const change of describeChanges(present, text)) console.log(change);

if (present === text) {
  console.log(`${file}: up to date, ${games.length} games`);
} else if (flags.check) {
  console.error(`${file}: not what the script would write; run npm run catalog and review the difference`);
  process.exitCode = 1;
} else {
  writeFileSync(file, text);
  console.log(`${file}: written, ${games.length} games`);
}

function buildCatalog(table: Record<string, GamedigGame>, overrides: Overrides): Entry[] {
  const { directories, renamed, games, added } = overrides;
  const entries = new Map<string, Entry>();
  for (const [id, game] of Object.entries(table)) {
    entries.set(id, correct(translate(id, game, overrides), games[id]));
  }
  for (const id of Object.keys(games)) {
    if (!entries.has(id))
      throw new Error(`${overridesPath}: games.${id}: gamedig has no such game; remove it`);
  }
  for (const [id, gamedigId] of Object.entries(renamed)) {
    const game = entries.get(gamedigId);
    if (game === undefined || entries.has(id)) {
      throw new Error(
        `${overridesPath}: renamed.${id}: gamedig no longer says ${gamedigId} for it; mend or remove it`,
      );
    }
    const { aliases: _, ...entry } = game;
    entries.set(id, { ...entry, id, gamedigId });
  }
  for (const [id, { source, ...game }] of Object.entries(added)) {
    if (entries.has(id)) throw new Error(`${overridesPath}: added.${id}: gamedig has it by now; remove it`);
    if (!SOURCE.test(source))
      throw new Error(`${overridesPath}: added.${id}.source: name the page that tells protocol and ports`);
    entries.set(id, { id, ...game });
  }
  const used = new Set([...entries.values()].map(({ protocol }) => protocol));
  for (const protocol of Object.keys(directories)) {
    if (!used.has(protocol)) {
      throw new Error(`${overridesPath}: directories.${protocol}: no game has this protocol; remove it`);
    }
  }
  return [...entries.values()].sort((a, b) => (a.id < b.id ? -1 : 1));
}

function translate(
  id: string,
  { name, options, extra }: GamedigGame,
  { protocols, directories, renamed }: Overrides,
): Entry {
  const offsets = [options.port_query_offset ?? []].flat();
  const alias = extra?.old_id;
  const protocol = protocols[options.protocol] ?? options.protocol;
  const directory = directories[protocol];
  const needs: Need[] = [
    ...neededAccess(protocol),
    ...(directory === undefined ? [] : ['directory' as const]),
  ];
  return {
    id,
    name,
    protocol,
    ...(options.port !== undefined && { port: options.port }),
    ...(options.port_query !== undefined && { queryPort: options.port_query }),
    ...(offsets.length > 0 && { queryPortOffsets: offsets }),
    ...(needs.length > 0 && { needs }),
    ...(directory !== undefined && { directory }),
    ...(alias !== undefined && renamed[alias] === undefined && { aliases: [alias] }),
  };
}

function correct(entry: Entry, override: Overrides['games'][string] | undefined): Entry {
  if (override === undefined) return entry;
  const { why: _, ...correction } = override;
  const corrected = { ...entry, ...correction };
  for (const field of Object.keys(correction)) {
    const unchanged = { ...corrected, [field]: Reflect.get(entry, field) };
    if (JSON.stringify(unchanged) === JSON.stringify(corrected)) {
      throw new Error(
        `${overridesPath}: games.${entry.id}.${field}: gamedig says the same by now; remove it`,
      );
    }
  }
  return corrected;
}

/**
 * Formats the catalog as JSON. Each game is one line with the fields in a fixed order, so that a change of one game
 * changes one line.
 */
function formatCatalog(entries: readonly Entry[]): string {
  return `[\n${entries.map(entry => JSON.stringify(entry, fieldOrder)).join(',\n')}\n]\n`;
}

/**
 * Compares two catalogs. Returns the lines that differ: removed lines start with `-`, added lines start with `+`, and
 * the lines of one game are adjacent.
 */
function describeChanges(before: string, after: string): string[] {
  const lines = (text: string) => new Set(text.split('\n').map(line => line.replace(/,$/, '')));
  const [old, now] = [lines(before), lines(after)];
  const removed = [...old].filter(line => !now.has(line)).map(line => `- ${line}`);
  const added = [...now].filter(line => !old.has(line)).map(line => `+ ${line}`);
  return [...removed, ...added].sort((a, b) => (a.slice(2) < b.slice(2) ? -1 : 1));
}
