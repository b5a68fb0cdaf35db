import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';

const TEST_FILE = /\.test\.ts$/;
const SLOW_FILE = /\.slow\.test\.ts$/;
/** Folders of the tests that need other programs than Node and npm. */
const NEEDY = ['test/browser/', 'test/engines/', 'test/peers/'];
/**
 * Folders of the tests that start the whole service or its commands. Together they take almost as long as all other
 * tests, so they are a suite of their own.
 */
const SERVICE = ['test/cli/', 'test/client/', 'test/contract/', 'test/deploy/'];
/** Maximum number of test files that one process runs. */
const FILES_A_PROCESS = 16;
/** Maximum number of test files that one process runs, if the tests in these files start other processes. */
const STARTING_FILES_A_PROCESS = 4;
const IMPORT = /^(?:import|export)\b(?! type)[^;'"]*['"]([^'"]+)['"]/gm;

function testFiles(path: string): string[] {
  if (statSync(path).isFile()) return [path];
  return readdirSync(path, { recursive: true, encoding: 'utf8' })
    .filter(name => TEST_FILE.test(name))
    .map(name => join(path, name))
    .sort();
}

/**
 * A suite of tests that need no other programs and are not slow. `service`: the tests of the whole service, in the
 * folders `SERVICE`. `parts`: all other tests.
 */
export type Suite = 'parts' | 'service';

/** Returns the absolute paths of the test files in a list of files and folders. Throws if a path does not exist. */
export function namedFiles(names: readonly string[]): string[] {
  return [...new Set(names.flatMap(name => testFiles(resolve(name))))];
}

/** Returns the absolute paths of the test files of a suite. */
export function suiteFiles(root: string, suite: Suite): string[] {
  return testFiles(join(root, 'test')).filter(path => {
    const name = relative(root, path);
    const isIn = (folders: readonly string[]): boolean => folders.some(folder => name.startsWith(folder));
    return !SLOW_FILE.test(name) && !isIn(NEEDY) && isIn(SERVICE) === (suite === 'service');
  });
}

/**
 * Returns true if a test file starts processes: it imports node:child_process, directly or through other files of
 * test/.
 */
function startsProcesses(root: string, file: string, known: Map<string, boolean>): boolean {
  const before = known.get(file);
  if (before !== undefined) return before;
  known.set(file, false);
  const imported = [...readFileSync(file, 'utf8').matchAll(IMPORT)].map(([, specifier = '']) => specifier);
  const found = imported.some(specifier => {
    if (specifier === 'node:child_process') return true;
    const path = resolve(dirname(file), specifier);
    const isOfTests = path.startsWith(join(root, 'test/')) && path.endsWith('.ts');
    // The imported file may not exist, because `IMPORT` also matches an import statement inside a string of a test.
    return isOfTests && existsSync(path) && startsProcesses(root, path, known);
  });
  known.set(file, found);
  return found;
}

const inGroups = (files: readonly string[], size: number): string[][] =>
  Array.from({ length: Math.ceil(files.length / size) }, (_, i) => files.slice(i * size, (i + 1) * size));

/**
 * Divides test files into groups. Each group runs in one process, because the start of a process costs more than a
 * second of CPU time (Node 20). Slow files come first, each alone in a group.
 */
export function groupFiles(root: string, files: readonly string[]): string[][] {
  const known = new Map<string, boolean>();
  const slow = files.filter(file => SLOW_FILE.test(file));
  const quick = files.filter(file => !SLOW_FILE.test(file));
  const starting = quick.filter(file => startsProcesses(root, file, known));
  const others = quick.filter(file => !starting.includes(file));
  return [
    ...inGroups(slow, 1),
    ...inGroups(starting, STARTING_FILES_A_PROCESS),
    ...inGroups(others, FILES_A_PROCESS),
  ];
}
