import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readCheckpoint } from './checkpoint-file.ts';
import { liveTables } from './manifest.ts';
import { isWholeTable } from './table-check.ts';

/** Files that hold data. LevelDB's LOCK and its own log of messages (LOG) hold none. */
const DATA_FILE = /^(?:CURRENT|MANIFEST-\d+|\d+\.(?:log|ldb|sst))$/;
const TABLE = /\.(?:ldb|sst)$/;

/** Names of LevelDB's files in a directory that hold data. */
export function dataFiles(directory: string): string[] {
  return readdirSync(directory).filter(name => DATA_FILE.test(name));
}

/** Whether a directory holds a store. */
export function hasData(directory: string): boolean {
  return existsSync(join(directory, 'CURRENT'));
}

/** Files of tables that the manifest does not list; empty if the manifest cannot be read. */
export function unlistedTables(directory: string): string[] {
  const current = join(directory, 'CURRENT');
  if (!existsSync(current)) return [];
  const manifest = join(directory, readFileSync(current, 'latin1').trim());
  const live = existsSync(manifest) ? liveTables(readFileSync(manifest)) : undefined;
  if (!live) return [];
  return dataFiles(directory).filter(name => TABLE.test(name) && !live.has(Number.parseInt(name, 10)));
}

/** Which files are missing, if LevelDB would begin a new store without them; undefined if none is. */
export function missingFiles(directory: string): string | undefined {
  const files = dataFiles(directory);
  if (files.includes('CURRENT')) return undefined;
  if (files.length > 0) return `its file CURRENT is gone, and ${files.length} files of data are there`;
  return readCheckpoint(directory) ? 'all files of data are gone' : undefined;
}

/** Listed tables whose checksums do not match. Reads all of them, at about 0.5 GB a second. */
export function damagedTables(directory: string): string[] {
  const unlisted = new Set(unlistedTables(directory));
  return dataFiles(directory).filter(
    name => TABLE.test(name) && !unlisted.has(name) && !isWholeTable(readFileSync(join(directory, name))),
  );
}
