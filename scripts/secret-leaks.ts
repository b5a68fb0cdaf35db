import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isWholeSecret, SECRET_PREFIX } from '../proto/token-secret.ts';

/** What was found in the transcripts of a run (test/system/transcript.ts). */
export interface Findings {
  /** Commands of processes that said anything, and what else was heard, such as `metrics of core`. */
  heard: string[];
  /** How many different secrets were looked for, beside those that are known by their form. */
  secrets: number;
  /** For people: who told a secret, and where; never the secret. */
  leaks: string[];
}

/** What all the tests together are sure to hear of; hearing nothing of one would be no proof of anything. */
const SOURCES = [
  ...['core/main.ts', 'gateway/main.ts', 'prober/main.ts', 'cli/gsq.ts', '--print-config'],
  ...['metrics of core', 'metrics of gateway', 'metrics of prober', 'answers of REST', 'answers of gRPC'],
];

/** Shorter ones would be found by chance; none of that length is one a service makes. */
const SHORTEST = 12;
const AROUND = 40;
const TOKEN = new RegExp(`${SECRET_PREFIX}[0-9A-Za-z]{36}`, 'g');

/** The forms in which a secret may turn up in a text. */
function formsOf(secret: Buffer): string[] {
  const text = secret.toString('utf8');
  const isText = Buffer.from(text).equals(secret);
  // Of a key in PEM each line is telling enough, but for those around it.
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

/** Where one of `secrets`, or a token as gsq makes them, is in a text. */
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

/** Looks through all transcripts of a directory for all secrets that any process had. */
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

/** What should have been heard and was not. */
export function unheard(heard: readonly string[]): string[] {
  return SOURCES.filter(source => !heard.some(command => command.includes(source)));
}
