import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readCheckpoint } from './checkpoint-file.ts';
import { liveTables } from './manifest.ts';
import { isWholeTable } from './table-check.ts';

/** Matches names of LevelDB files that hold data. Two files hold none: LOCK, and LOG with LevelDB's own messages. */
const DATA_FILE = /^(?:CURRENT|MANIFEST-\d+|\d+\.(?:log|ldb|sst))$/;
const TABLE = /\.(?:ldb|sst)$/;

/** Returns the names of all files in a directory in which LevelDB stores data. */
export function dataFiles(directory: string): string[] {
  return readdirSync(directory).filter(name => DATA_FILE.test(name));
}

/** True if a directory contains a store. */
export function hasData(directory: string): boolean {
  return existsSync(join(directory, 'CURRENT'));
}

/**
 * Returns the names of table files that the manifest does not list. Returns an empty list if the manifest cannot be
 * read.
 */
export function unlistedTables(directory: string): string[] {
  const current = join(directory, 'CURRENT');
  if (!existsSync(current)) return [];
  const manifest = join(directory, readFileSync(current, 'latin1').trim());
  const live = existsSync(manifest) ? liveTables(readFileSync(manifest)) : undefined;
  if (!live) return [];
  return dataFiles(directory).filter(name => TABLE.test(name) && !live.has(Number.parseInt(name, 10)));
}

/**
 * Detects a store without the files that LevelDB needs to recognize it. LevelDB would create a new, empty store in this
 * case. Returns a description of the missing files, or undefined if no file is missing.
 */
export function missingFiles(directory: string): string | undefined {
  const files = dataFiles(directory);
  if (files.includes('CURRENT')) return undefined;
  if (files.length > 0) return `its file CURRENT is missing, but ${files.length} data files exist`;
  return readCheckpoint(directory) ? 'all data files are missing' : undefined;
}

/**
 * Returns the names of the damaged table files: the manifest lists them, but their checksums do not match. Reads all
 * tables that the manifest lists, at about 0.5 GB per second.
 */
export function damagedTables(directory: string): string[] {
  const unlisted = new Set(unlistedTables(directory));
  return dataFiles(directory).filter(
    name => TABLE.test(name) && !unlisted.has(name) && !isWholeTable(readFileSync(join(directory, name))),
  );
}
