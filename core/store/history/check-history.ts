import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { ConfigError } from '../../../runtime/config.ts';
import { currentManifest, hasData } from '../leveldb/data-files.ts';
import { findFaults } from '../leveldb/file-check.ts';
import { DAMAGED, historyPaths, strayFiles } from './history-directories.ts';
import { readHistoryKey } from './history-key.ts';

/** Result of checking the files of a history that no core uses. */
export interface HistoryCheck {
  /** Number of LevelDB directories of the history. */
  readonly directories: number;
  /** Descriptions of the damage that was found in the history, one line each. */
  readonly faults: readonly string[];
}

/**
 * Checks the files of a history with their checksums. Opens no directory with LevelDB and changes nothing. A history
 * that does not exist has no faults.
 */
export function checkHistory(directory: string): HistoryCheck {
  const paths = historyPaths(directory);
  const faults = strayFiles(directory).map(
    tier => `${tier} is not a directory; at its next start the core moves it aside`,
  );
  for (const path of paths) {
    const files = join(directory, path);
    if (!hasData(files)) continue;
    for (const fault of findFaults(files, currentManifest(files))) faults.push(`${path}: ${fault}`);
  }
  const damaged = join(directory, DAMAGED);
  for (const name of existsSync(damaged) ? readdirSync(damaged) : [])
    faults.push(
      `the core moved the damaged directory ${join(damaged, name)} aside; delete it if you do not need it`,
    );
  try {
    if (paths.length > 0 && !readHistoryKey(directory))
      faults.push(
        'history.key is missing; at its next start the core moves the history aside and begins a new one',
      );
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    faults.push(error.message);
  }
  return { directories: paths.length, faults };
}
