/**
 * Runs tests: `run-tests.ts [--test-name-pattern <pattern>] [folder or file]...`. A pattern is a regular expression; only
 * tests whose names match it run. Without arguments, the script runs every test/**\/*.test.ts. Left out are test/peers
 * (needs other programs), test/bench (measures) and *.slow.test.ts (takes minutes).
 *
 * Node 20's own `--test` finds no .ts files in folders, and a run without tests succeeds; this script fails.
 * The script also fails if the output, the metrics or a refusal of any process contains a secret.
 */
import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join, relative, resolve } from 'node:path';
import { run } from 'node:test';
import { spec } from 'node:test/reporters';
import { parseArgs } from 'node:util';
import { findLeaks, unheard } from './secret-leaks.ts';

const root = resolve(import.meta.dirname, '..');
const TEST_FILE = /\.test\.ts$/;
const SLOW_FILE = /\.slow\.test\.ts$/;
const NOT_BY_DEFAULT = ['test/peers', 'test/bench'];
/** Time limit for one test and for all tests of one file, ms. */
const TIME_LIMIT_MS = 180_000;
const NAMED_TIME_LIMIT_MS = 600_000;

function testFiles(path: string): string[] {
  if (statSync(path).isFile()) return [path];
  return readdirSync(path, { recursive: true, encoding: 'utf8' })
    .filter(name => TEST_FILE.test(name))
    .map(name => join(path, name));
}

function isDefault(path: string): boolean {
  const name = relative(root, path);
  return !SLOW_FILE.test(name) && !NOT_BY_DEFAULT.some(folder => name.startsWith(`${folder}/`));
}

function fail(message: string): never {
  process.stderr.write(`run-tests: ${message}\n`);
  process.exit(1);
}

function chosenFiles(named: readonly string[]): string[] {
  try {
    const files =
      named.length === 0
        ? testFiles(join(root, 'test')).filter(isDefault)
        : named.flatMap(name => testFiles(resolve(name)));
    return [...new Set(files)].sort();
  } catch (error) {
    return fail(error instanceof Error ? error.message : String(error));
  }
}

const { positionals: named, values: flags } = parseArgs({
  allowPositionals: true,
  options: { 'test-name-pattern': { type: 'string' } },
});
const pattern = flags['test-name-pattern'];
const isPartial = named.length > 0 || pattern !== undefined;
const files = chosenFiles(named);
if (files.length === 0) fail('found no *.test.ts file');

// Tests write the output of their processes (test/system/transcript.ts), metrics and answers
// (test/system/hearing.ts) to this directory.
const transcripts = mkdtempSync(join(tmpdir(), 'gsq-transcripts-'));
process.env.TEST_TRANSCRIPTS = transcripts;
process.once('exit', () => rmSync(transcripts, { recursive: true, force: true }));

/** Returns one line for each leaked secret and each missing transcript; empty if there is none. */
function leakFaults(): string[] {
  const { heard, secrets, leaks } = findLeaks(transcripts);
  if (leaks.length > 0 || isPartial) return leaks;
  const faults = unheard(heard).map(source => `nothing was heard of ${source}`);
  if (secrets === 0) faults.push('no secret was kept to look for');
  process.stdout.write(
    `${heard.length} transcripts of processes, metrics and answers hold none of ${secrets} secrets\n`,
  );
  return faults;
}

const paths = new Set(files);
let tests = 0;
let failed = 0;
interface Ended {
  name: string;
  skip?: string | boolean;
  details: { type?: string };
}
const count = ({ name, skip, details }: Ended): void => {
  // Node reports tests that do not match the pattern as skipped.
  if (pattern !== undefined && skip !== undefined) return;
  // Node reports a file without tests as one passed test; do not count it.
  if (!paths.has(resolve(name)) && details.type !== 'suite') tests += 1;
};
const events = run({
  files,
  // Tests wait for sockets and processes half of the time, so one more file than cores runs at once. Named
  // files may load other processes and get no extra one.
  concurrency: named.length === 0 ? availableParallelism() + 1 : Math.max(2, availableParallelism()),
  timeout: named.length === 0 ? TIME_LIMIT_MS : NAMED_TIME_LIMIT_MS,
  ...(pattern !== undefined && { testNamePatterns: pattern }),
});
events.on('test:pass', count);
events.on('test:fail', event => {
  failed += 1;
  count(event);
});
events.compose(new spec()).pipe(process.stdout);
events.once('end', () => {
  if (tests === 0) fail(`found no test to run in ${files.length} files`);
  const faults = leakFaults();
  for (const fault of faults) process.stderr.write(`run-tests: secrets: ${fault}\n`);
  process.exitCode = failed > 0 || faults.length > 0 ? 1 : 0;
});
