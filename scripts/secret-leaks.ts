import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isWholeSecret, SECRET_PREFIX } from '../proto/token-secret.ts';

/** Result of the search for secrets in the recorded output of a test run. See test/system/transcript.ts. */
export interface Findings {
  /**
   * Sources of the recorded output that was searched for secrets. A source is the command line of a process, or a name
   * such as `metrics of core`.
   */
  heard: string[];
  /**
   * Number of different secrets that the search looked for. Tokens are not included, because the search recognises
   * tokens by their format.
   */
  secrets: number;
  /**
   * One line for each secret that was found in the recorded output: the source of the output, and the text around the
   * secret. The secret itself is left out.
   */
  leaks: string[];
}

/**
 * Sources (processes, metrics and responses) whose output must be recorded in a run of all tests of the service. If the
 * output of one is missing, the search for leaked secrets is incomplete.
 */
const SOURCES = [
  ...['core/main.ts', 'gateway/main.ts', 'prober/main.ts', 'notifier/main.ts'],
  ...['cli/gsq.ts', '--print-config'],
  ...['metrics of core', 'metrics of gateway', 'metrics of prober', 'metrics of notifier'],
  ...['answers of REST', 'answers of gRPC'],
];

/**
 * Minimum length of a secret to search for. Shorter secrets would match by chance, and the service does not create such
 * short secrets.
 */
const SHORTEST = 12;
const AROUND = 40;
const TOKEN = new RegExp(`${SECRET_PREFIX}[0-9A-Za-z]{36}`, 'g');

/** Returns a secret in every encoding in which it can appear in the recorded output of a test run. */
function formsOf(secret: Buffer): string[] {
  const text = secret.toString('utf8');
  const isText = Buffer.from(text).equals(secret);
  // Splits a PEM key into lines, because the output of a process can contain a single line of the key. Leaves out the
  // header line and the footer line, which are not secret.
  const plain = isText ? text.split('\n').filter(line => line !== '' && !line.startsWith('-----')) : [];
  const base64 = secret.toString('base64').replace(/=+$/, '');
  return [...plain, base64, secret.toString('base64url'), secret.toString('hex')].filter(
    form => form.length >= SHORTEST,
  );
}

function context(text: string, at: number, length: number): string {
  const before = text.slice(Math.max(0, at - AROUND), at);
  return `${before}<secret>${text.slice(at + length, at + length + AROUND)}`.replaceAll('\n', ' ');
}

/** Finds secrets and valid tokens in a text. Returns the text around each of them, with the secret itself left out. */
export function leaksIn(text: string, secrets: readonly string[]): string[] {
  const leaks: string[] = [];
  for (const secret of secrets) {
    const at = text.indexOf(secret);
    if (at >= 0) leaks.push(context(text, at, secret.length));
  }
  for (const { 0: token, index } of text.matchAll(TOKEN)) {
    if (isWholeSecret(token)) leaks.push(context(text, index, token.length));
  }
  return leaks;
}

/**
 * Searches the recorded output of all test processes for secrets. `directory` contains the output and the secrets that
 * the processes used.
 */
export function findLeaks(directory: string): Findings {
  const named = (kind: string): string[] => readdirSync(directory).filter(name => name.endsWith(`.${kind}`));
  const kept = new Set(
    named('secrets').flatMap(name => readFileSync(join(directory, name), 'utf8').trim().split('\n')),
  );
  const secrets = [...kept].flatMap(base64 => formsOf(Buffer.from(base64, 'base64')));
  const findings: Findings = { heard: [], secrets: kept.size, leaks: [] };
  for (const name of named('said')) {
    const command = readFileSync(join(directory, name.replace(/said$/, 'command')), 'utf8');
    findings.heard.push(command);
    for (const leak of leaksIn(readFileSync(join(directory, name), 'utf8'), secrets)) {
      findings.leaks.push(`${command}: ${leak}`);
    }
  }
  return findings;
}

/**
 * Returns the elements of `SOURCES` (processes, metrics and responses) whose output was not recorded in a test run.
 * `heard`: the sources of all recorded output of this test run.
 */
export function unheard(heard: readonly string[]): string[] {
  return SOURCES.filter(source => !heard.some(command => command.includes(source)));
}
