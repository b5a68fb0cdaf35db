import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Catalog } from '../../../core/catalog/catalog.ts';
import { catalogFile } from '../../../core/catalog/catalog-file.ts';
import { scratchDirectory } from '../../system/scratch-directory.ts';

/** The time at which the test clock of `fixture` starts, Unix ms. */
export const start = Date.UTC(2026, 0, 1);
/** Temporary directory in which the tests create their catalog files. */
export const directory = scratchDirectory();

/** Returns the text of a catalog file with one game for each id. Each game has the alias `old<id>`. */
export const catalogOf = (...ids: string[]): string =>
  JSON.stringify(ids.map(id => ({ id, name: `Game ${id}`, protocol: 'a2s', aliases: [`old${id}`] })));

let files = 0;

/** Creates a catalog file and a test clock, which shows the time `at`. Counts how often the file is read. */
export function fixture(text: string) {
  files += 1;
  const path = join(directory, `${files}.json`);
  writeFileSync(path, text);
  const file = catalogFile(path);
  const state = { path, at: start, reads: 0, failures: [] as unknown[] };
  const options = {
    source: {
      name: file.name,
      read: () => {
        state.reads += 1;
        return file.read();
      },
    },
    now: () => state.at,
    onRefreshFailure: (error: unknown) => {
      state.failures.push(error);
    },
  };
  return Object.assign(state, { options, load: () => Catalog.load(options) });
}
