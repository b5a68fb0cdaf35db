import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readCheckpoint } from './checkpoint-file.ts';
import { type Manifest, readManifest } from './manifest.ts';
import { isWholeTable } from './table-check.ts';

/** Matches names of LevelDB files that hold data. Two files hold none: LOCK, and LOG with LevelDB's own messages. */
const DATA_FILE = /^(?:CURRENT|MANIFEST-\d+|\d+\.(?:log|ldb|sst))$/;
const TABLE = /\.(?:ldb|sst)$/;

/** Returns the names of all files with LevelDB data in a directory. */
export function dataFiles(directory: string): string[] {
  return readdirSync(directory).filter(name => DATA_FILE.test(name));
}

/** True if a directory contains a store. */
export function hasData(directory: string): boolean {
  return existsSync(join(directory, 'CURRENT'));
}

/** Returns the names of all table files in a directory, keyed by file number. */
export function tableFiles(directory: string): ReadonlyMap<number, string> {
  const tables = dataFiles(directory).filter(name => TABLE.test(name));
  return new Map(tables.map(name => [Number.parseInt(name, 10), name]));
}

/**
 * Returns the name of the manifest, which the file CURRENT contains. Returns undefined if CURRENT is missing or does
 * not contain such a name.
 */
export function manifestName(directory: string): string | undefined {
  if (!hasData(directory)) return undefined;
  return /^(MANIFEST-\d+)\n$/.exec(readFileSync(join(directory, 'CURRENT'), 'latin1'))?.[1];
}

/** Reads the manifest of a store. Returns undefined if there is none, or if it is damaged. */
export function currentManifest(directory: string): Manifest | undefined {
  const path = join(directory, manifestName(directory) ?? 'no manifest');
  return existsSync(path) ? readManifest(path) : undefined;
}

/**
 * Returns the names of table files that the manifest does not list. Returns an empty list if the manifest cannot be
 * read.
 */
export function unlistedTables(directory: string, manifest: Manifest | undefined): string[] {
  if (!manifest) return [];
  const { tables } = manifest;
  return [...tableFiles(directory)].flatMap(([number, name]) => (tables.has(number) ? [] : [name]));
}

/**
 * Describes missing files of a store, as text. Finds only two cases: the file CURRENT is missing, or all data files are
 * missing but a checkpoint file shows that there was a store. In these cases, LevelDB would create a new, empty store.
 * In all other cases, returns undefined.
 */
export function missingFiles(directory: string): string | undefined {
  const files = dataFiles(directory);
  if (files.includes('CURRENT')) return undefined;
  if (files.length > 0) return `its file CURRENT is missing, but ${files.length} data files exist`;
  return readCheckpoint(directory) ? 'all data files are missing' : undefined;
}

/** Returns the names of the LevelDB table files whose checksums do not match. */
export function damagedTables(directory: string): string[] {
  return [...tableFiles(directory).values()].filter(
    name => !isWholeTable(readFileSync(join(directory, name))),
  );
}
