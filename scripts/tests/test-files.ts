import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';

const TEST_FILE = /\.test\.ts$/;
const SLOW_FILE = /\.slow\.test\.ts$/;
/** The folder whose tests need more than Node and npm. */
const PEERS = 'test/peers/';
/** The most test files that one process runs. */
const FILES_A_PROCESS = 16;
/** The same for files that start processes. */
const STARTING_FILES_A_PROCESS = 4;
const IMPORT = /^(?:import|export)\b(?! type)[^;'"]*['"]([^'"]+)['"]/gm;

function testFiles(path: string): string[] {
  if (statSync(path).isFile()) return [path];
  return readdirSync(path, { recursive: true, encoding: 'utf8' })
    .filter(name => TEST_FILE.test(name))
    .map(name => join(path, name));
}

/**
 * Absolute paths of the test files in the folders and files of `named`, sorted. Without names, all of test/ except those
 * that need more than Node and npm (test/peers) or take minutes (*.slow.test.ts). Throws an error if a path does not exist.
 */
export function chooseFiles(root: string, named: readonly string[]): string[] {
  const isDefault = (path: string): boolean => {
    const name = relative(root, path);
    return !SLOW_FILE.test(name) && !name.startsWith(PEERS);
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

const inGroups = (files: readonly string[], size: number): string[][] =>
  Array.from({ length: Math.ceil(files.length / size) }, (_, i) => files.slice(i * size, (i + 1) * size));

/**
 * Divides test files into groups. Each group has one process, because starting a process takes more CPU than most files:
 * 0.3 s on Node 20. Files that start processes take longest, so they come first and in small groups.
 */
export function groupFiles(root: string, files: readonly string[]): string[][] {
  const known = new Map<string, boolean>();
  const starting = files.filter(file => startsProcesses(root, file, known));
  const others = files.filter(file => !starting.includes(file));
  return [...inGroups(starting, STARTING_FILES_A_PROCESS), ...inGroups(others, FILES_A_PROCESS)];
}
