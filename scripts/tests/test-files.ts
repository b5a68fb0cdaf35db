import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';

const TEST_FILE = /\.test\.ts$/;
const SLOW_FILE = /\.slow\.test\.ts$/;
/** Folders that need more than Node and npm, or measure. */
const NOT_BY_DEFAULT = ['test/peers', 'test/bench'];
/** Test files of one process at most. */
const FILES_A_PROCESS = 16;
const IMPORT = /^(?:import|export)\b[^;'"]*['"]([^'"]+)['"]/gm;

function testFiles(path: string): string[] {
  if (statSync(path).isFile()) return [path];
  return readdirSync(path, { recursive: true, encoding: 'utf8' })
    .filter(name => TEST_FILE.test(name))
    .map(name => join(path, name));
}

/**
 * Absolute paths of the test files in the folders and files of `named`, sorted. If none is named, all of test/ but those that
 * need more than Node and npm, measure, or take minutes (*.slow.test.ts). Throws an error if a path does not exist.
 */
export function chooseFiles(root: string, named: readonly string[]): string[] {
  const isDefault = (path: string): boolean => {
    const name = relative(root, path);
    return !SLOW_FILE.test(name) && !NOT_BY_DEFAULT.some(folder => name.startsWith(`${folder}/`));
  };
  const files =
    named.length > 0
      ? named.flatMap(name => testFiles(resolve(name)))
      : testFiles(join(root, 'test')).filter(isDefault);
  return [...new Set(files)].sort();
}

/** Whether a test file starts processes: it, or a file of test/ that it imports, imports node:child_process. */
function startsProcesses(root: string, file: string, known: Map<string, boolean>): boolean {
  const before = known.get(file);
  if (before !== undefined) return before;
  known.set(file, false);
  const imported = [...readFileSync(file, 'utf8').matchAll(IMPORT)].map(([, specifier = '']) => specifier);
  const found = imported.some(specifier => {
    if (specifier === 'node:child_process') return true;
    const path = resolve(dirname(file), specifier);
    const isOfTests = path.startsWith(join(root, 'test/')) && path.endsWith('.ts');
    // A text within a test may hold an import of no file.
    return isOfTests && existsSync(path) && startsProcesses(root, path, known);
  });
  known.set(file, found);
  return found;
}

/**
 * Deals test files out to processes. A file that starts processes waits for them most of its time, so it has a process of its
 * own; the others share processes, for starting one takes longer than most of them do: 0.3 s of CPU on Node 20.
 */
export function groupFiles(root: string, files: readonly string[]): string[][] {
  const known = new Map<string, boolean>();
  const alone = files.filter(file => startsProcesses(root, file, known));
  const together = files.filter(file => !alone.includes(file));
  const groups: string[][] = [];
  for (let i = 0; i < together.length; i += FILES_A_PROCESS)
    groups.push(together.slice(i, i + FILES_A_PROCESS));
  return [...groups, ...alone.map(file => [file])];
}
