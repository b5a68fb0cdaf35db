import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isWholeSecret, SECRET_PREFIX } from '../proto/token-secret.ts';

/** Secrets found in the transcripts of a test run (test/system/transcript.ts). */
export interface Findings {
  /** Sources with any output: commands of processes, and names such as `metrics of core`. */
  heard: string[];
  /** Number of different secrets searched for, in addition to tokens, which are found by their format. */
  secrets: number;
  /** One line for each leak, with its source and its context but without the secret. */
  leaks: string[];
}

/** Sources that every full test run must have. A source without output proves nothing. */
const SOURCES = [
  ...['core/main.ts', 'gateway/main.ts', 'prober/main.ts', 'cli/gsq.ts', '--print-config'],
  ...['metrics of core', 'metrics of gateway', 'metrics of prober', 'answers of REST', 'answers of gRPC'],
];

/**
 * Least length of a secret to search for: shorter ones would match by chance, and the service creates none so
 * short.
 */
const SHORTEST = 12;
const AROUND = 40;
const TOKEN = new RegExp(`${SECRET_PREFIX}[0-9A-Za-z]{36}`, 'g');

/** Returns the encodings in which a secret may appear in a text. */
function formsOf(secret: Buffer): string[] {
  const text = secret.toString('utf8');
  const isText = Buffer.from(text).equals(secret);
  // Each line of a PEM key is searched for, except the header and the footer.
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

/** Returns the context of every secret and every valid token in a text. */
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

/** Searches all transcripts of a directory for all secrets of all processes. */
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

/** Returns the required sources that have no output. */
export function unheard(heard: readonly string[]): string[] {
  return SOURCES.filter(source => !heard.some(command => command.includes(source)));
}
