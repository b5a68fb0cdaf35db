import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const root = new URL('../../', import.meta.url);
/** Languages of the clients in docs/grpc.md. The names are the headings of their sections. */
export const languages = ['Go', 'Python', 'Rust', 'Node'] as const;
export type Language = (typeof languages)[number];

/** An example client whose source code is in docs/grpc.md. */
export interface Sample {
  /** Contents of the source files of the client, keyed by path. */
  files: Record<string, string>;
  /** The commands that install packages and build an example client of docs/grpc.md. Empty if there are none. */
  setUp: string;
  /** The commands that run an example client of docs/grpc.md. */
  run: string;
}

/** Returns the text between a heading of a page and the next heading of the same or a higher level. */
export function sectionOf(page: string, heading: string): string {
  const text = readFileSync(new URL(page, root), 'utf8');
  const start = text.indexOf(`\n${heading}\n`);
  if (start < 0) throw new Error(`${page} has no heading ${heading}`);
  const level = heading.indexOf(' ');
  // Finds the next heading: a line that begins with # and follows an empty line. A comment in a shell block also begins
  // with #, but does not follow an empty line.
  const [section = ''] = text.slice(start + heading.length + 2).split(new RegExp(`\\n\\n#{1,${level}} `));
  return section;
}

/** Returns the code blocks of a section that are in `language`, for example `sh`. */
export function blocksOf(section: string, language: string): string[] {
  return Array.from(section.matchAll(/^```(\w+)\n(.*?)^```$/gms), ([, name, code = '']) => ({ name, code }))
    .filter(({ name }) => name === language)
    .map(({ code }) => code);
}

/**
 * Returns the source files and the commands of the example client in docs/grpc.md. The line before a code block
 * contains the path of the file.
 */
export function readSample(language: Language): Sample {
  const section = sectionOf('docs/grpc.md', `### ${language}`);
  const named = section.matchAll(/^The file `([^`]+)`[^`]*:\n\n```\w+\n(.*?)^```$/gms);
  const files = Object.fromEntries(Array.from(named, ([, path = '', code = '']) => [path, code]));
  const commands = blocksOf(section, 'sh');
  const run = commands.pop();
  if (Object.keys(files).length === 0 || run === undefined)
    throw new Error(`docs/grpc.md has no client in ${language}`);
  return { files, setUp: commands.join(''), run };
}

/** Directory in which scripts/install-peers.sh builds the example client in this language. */
export function directoryOf(language: Language): string {
  return new URL(`.peers/samples/${language.toLowerCase()}`, root).pathname;
}

/**
 * Returns the example client in `language` from docs/grpc.md. Throws an Error if scripts/install-peers.sh has not
 * built the current version of the client.
 */
export function builtSample(language: Language): Sample {
  const sample = readSample(language);
  let built = '';
  try {
    built = readFileSync(markOf(language), 'utf8');
  } catch {
    // If `built.json` does not exist, the client was never built. `built` then stays empty, so this function throws an
    // Error.
  }
  if (built !== JSON.stringify(sample)) {
    throw new Error(`the client in ${language} of docs/grpc.md is not built; run scripts/install-peers.sh`);
  }
  return sample;
}

/**
 * Writes the source files of an example client to the directory of the client. Returns the set-up commands of the
 * client. If the current version is already built, writes nothing and returns undefined.
 */
export function unpackSample(language: Language): string | undefined {
  try {
    builtSample(language);
    return undefined;
  } catch {
    const { files, setUp } = readSample(language);
    const directory = directoryOf(language);
    rmSync(directory, { recursive: true, force: true });
    for (const [path, code] of Object.entries(files)) {
      mkdirSync(dirname(join(directory, path)), { recursive: true });
      writeFileSync(join(directory, path), code);
    }
    return setUp;
  }
}

/**
 * Writes the file that marks the current version of an example client as built. Call this function after the set-up
 * commands have succeeded.
 */
export function markBuilt(language: Language): void {
  writeFileSync(markOf(language), JSON.stringify(readSample(language)));
}

function markOf(language: Language): string {
  return join(directoryOf(language), 'built.json');
}
