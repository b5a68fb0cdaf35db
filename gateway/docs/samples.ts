import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** A program that fetches a server. It reads GSQ_URL, GSQ_TOKEN and GSQ_EMAIL from its environment. */
export interface Sample {
  /** Name of the language or the tool. */
  readonly name: string;
  /** Name of the file in `samples`. */
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

/** The samples of the page `/docs`. A test runs each of them. */
export const samples: readonly Sample[] = FILES.map(([name, file]) => ({
  name,
  file,
  code: readFileSync(join(import.meta.dirname, 'samples', file), 'utf8').trimEnd(),
}));
