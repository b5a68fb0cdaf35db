import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Readable } from 'node:stream';

/**
 * The directory in which the test runner collects process output (scripts/run-tests.ts); unset outside the
 * runner.
 */
const directory = process.env.TEST_TRANSCRIPTS;

/** Settings that are secrets, and settings that name files with one. */
const SECRETS = ['GSQ_INTERNAL_SECRET', 'GSQ_BOOTSTRAP_TOKEN'];
const SECRET_FILES = ['GSQ_INTERNAL_SECRET_FILE', 'GSQ_BOOTSTRAP_TOKEN_FILE', 'GSQ_INTERNAL_TLS_KEY'];
/** Secret files that a core creates in its data directory. */
const MADE = ['internal.secret', 'token.key', 'credentials.key'];

let transcripts = 0;

/** True if output is collected. */
export const isHeard = directory !== undefined;

const told = new Map<string, string>();

/** Collects text that is not process output, such as answers, for the leak search. */
export function hearTold(what: string, text: string): void {
  if (directory === undefined) return;
  let path = told.get(what);
  if (path === undefined) {
    path = join(directory, `${process.pid}-told-${told.size}`);
    told.set(what, path);
    appendFileSync(`${path}.command`, what);
  }
  appendFileSync(`${path}.said`, `${text}\n`);
}

/** Collects a secret that a test gave to a process without a setting, for the leak search. */
export function keepSecret(secret: string): void {
  if (directory === undefined) return;
  appendFileSync(
    join(directory, `${process.pid}-given.secrets`),
    `${Buffer.from(secret).toString('base64')}\n`,
  );
}

/** Collects the output of a process and its secrets, for the leak search. */
export class Transcript {
  readonly #path: string | undefined;

  /** `command`: the started command; `env`: its environment. */
  constructor(command: string, env: Readonly<Record<string, string | undefined>>) {
    if (directory === undefined) return;
    this.#path = join(directory, `${process.pid}-${transcripts++}`);
    this.#append('command', command);
    for (const name of SECRETS) this.#keep(Buffer.from(env[name] ?? ''));
    for (const name of SECRET_FILES) this.#keepFile(env[name]);
  }

  hear(stream: Readable | null): void {
    if (this.#path !== undefined) stream?.on('data', (text: string | Buffer) => this.#append('said', text));
  }

  /**
   * Collects the secrets that a process created in its data directory. Call it after the process has ended.
   */
  end(dataDirectory: string): void {
    if (this.#path === undefined) return;
    for (const name of MADE) this.#keepFile(join(dataDirectory, name));
  }

  #keepFile(path: string | undefined): void {
    if (path !== undefined && existsSync(path)) this.#keep(readFileSync(path));
  }

  /** One secret a line, in base64, because a key is not text. */
  #keep(secret: Buffer): void {
    if (secret.length > 0) this.#append('secrets', `${secret.toString('base64')}\n`);
  }

  #append(kind: string, what: string | Buffer): void {
    appendFileSync(`${this.#path}.${kind}`, what);
  }
}
