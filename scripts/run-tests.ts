/**
 * Runs tests. Fails if a test fails, or if there are no tests. Also fails if the output, the metrics or the error
 * responses of a process contain a secret.
 */

/*
 * Usage:
 * run-tests.ts [--test-name-pattern <pattern>]... [--only] [--service | folder or file...]
 *
 * A pattern is a regular expression for test names. With --service, runs the tests that start the whole service:
 * test/cli, test/client, test/contract and test/deploy. Without --service, folder and file, runs all other tests.
 * Both leave out test/browser, test/engines and test/peers (need other programs) and *.slow.test.ts (takes minutes).
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { findLeaks, unheard } from './secret-leaks.ts';
import { Report } from './tests/report.ts';
import { groupFiles, namedFiles, type Suite, suiteFiles } from './tests/test-files.ts';
import { TestProcess } from './tests/test-process.ts';

const USAGE =
  'usage: npm test -- [--test-name-pattern <pattern>]... [--only] [--service | folder or file...]';
const root = resolve(import.meta.dirname, '..');
/**
 * Time limit of a test file, in milliseconds. It is also the time limit of each single test in the file. If the command
 * line names files or folders, the limit is NAMED_TIME_LIMIT_MS instead.
 */
const TIME_LIMIT_MS = 180_000;
const NAMED_TIME_LIMIT_MS = 600_000;

function fail(message: string, status = 1): never {
  process.stderr.write(`run-tests: ${message}\n`);
  process.exit(status);
}

/**
 * Returns the files and folders of the command line, the suite to run if there are none, and the Node options that
 * choose tests in these files. Ends this process if an argument is wrong.
 */
function readArguments(): { named: string[]; suite: Suite; choice: string[] } {
  try {
    const { values, positionals } = parseArgs({
      allowPositionals: true,
      options: {
        'test-name-pattern': { type: 'string', multiple: true, default: [] },
        only: { type: 'boolean', default: false },
        service: { type: 'boolean', default: false },
      },
    });
    if (values.service && positionals.length > 0) throw new Error('--service takes no folder and no file');
    const patterns = values['test-name-pattern'].map(pattern => `--test-name-pattern=${pattern}`);
    return {
      named: positionals,
      suite: values.service ? 'service' : 'parts',
      choice: values.only ? [...patterns, '--test-only'] : patterns,
    };
  } catch (error) {
    return fail(`${error instanceof Error ? error.message : error}\n${USAGE}`, 2);
  }
}

function chosenFiles(named: readonly string[], suite: Suite): string[] {
  try {
    return named.length > 0 ? namedFiles(named) : suiteFiles(root, suite);
  } catch (error) {
    return fail(error instanceof Error ? error.message : String(error));
  }
}

/**
 * Searches the recorded output of the tests for secrets. Returns one line for each problem. `whole`: true if all tests
 * of the service ran. If true, missing output of a process is a problem too.
 */
function leakFaults(transcripts: string, whole: boolean): string[] {
  const { heard, secrets, leaks } = findLeaks(transcripts);
  if (leaks.length > 0 || !whole) return leaks;
  const faults = unheard(heard).map(source => `nothing was heard of ${source}`);
  if (secrets === 0) faults.push('no secret was kept to look for');
  process.stdout.write(
    `${heard.length} transcripts of processes, metrics and answers hold none of ${secrets} secrets\n`,
  );
  return faults;
}

const { named, suite, choice } = readArguments();
const files = chosenFiles(named, suite);
if (files.length === 0) fail('found no *.test.ts file');

// Directory in which tests record output that must contain no secrets: log lines, metrics and error responses.
// `leakFaults` searches it after the tests.
const transcripts = mkdtempSync(join(tmpdir(), 'gsq-transcripts-'));
process.env.TEST_TRANSCRIPTS = transcripts;
process.once('exit', () => rmSync(transcripts, { recursive: true, force: true }));

const startedAt = performance.now();
const report = new Report(root, text => process.stdout.write(text));
const waiting = choice.length > 0 ? files.map(file => [file]) : groupFiles(root, files);
const running = new Set<TestProcess>();
const runOptions = {
  limitMs: named.length === 0 ? TIME_LIMIT_MS : NAMED_TIME_LIMIT_MS,
  choice,
  onFile: report.add.bind(report),
};

for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => {
    for (const one of running) one.kill();
    process.exit(1);
  });
}

async function runWaiting(): Promise<void> {
  for (let group = waiting.shift(); group; group = waiting.shift()) {
    const one = new TestProcess(group, runOptions);
    running.add(one);
    await one.ended;
    running.delete(one);
  }
}

// If all tests run, starts one process more than the number of CPU cores, because tests spend half of their time
// waiting. If named files run, starts no extra process, because these files can need much CPU. Always starts at least
// two processes.
const atOnce = named.length === 0 ? availableParallelism() + 1 : Math.max(2, availableParallelism());
await Promise.all(Array.from({ length: atOnce }, runWaiting));
report.finish(performance.now() - startedAt);
if (report.tests === 0) fail(`found no test in ${files.length} files`);
const faults = leakFaults(transcripts, suite === 'service' && choice.length === 0);
for (const fault of faults) process.stderr.write(`run-tests: secrets: ${fault}\n`);
process.exitCode = report.ok && faults.length === 0 ? 0 : 1;
