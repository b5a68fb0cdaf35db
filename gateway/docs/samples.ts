import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * An example program on the page `/docs` that fetches a server. The program reads GSQ_URL, GSQ_TOKEN and GSQ_EMAIL from
 * its environment.
 */
export interface Sample {
  /** Name of the programming language or the tool of the example, such as curl. */
  readonly name: string;
  /** Name of the file that contains the example program, in the folder `samples`. */
  readonly file: string;
  readonly code: string;
}

const FILES = [
  ['curl', 'fetch.sh'],
  ['gsq', 'gsq.sh'],
  ['JavaScript', 'fetch.mjs'],
  ['Python', 'fetch.py'],
  ['Go', 'fetch.go'],
  ['PHP', 'fetch.php'],
] as const;

/** The example programs of the page `/docs`. A test runs each of these programs. */
export const samples: readonly Sample[] = FILES.map(([name, file]) => ({
  name,
  file,
  code: readFileSync(join(import.meta.dirname, 'samples', file), 'utf8').trimEnd(),
}));
