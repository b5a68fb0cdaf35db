import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Readable } from 'node:stream';

/**
 * Directory in which the test runner (scripts/run-tests.ts) collects process output. Undefined if a test runs without
 * the runner.
 */
const directory = process.env.TEST_TRANSCRIPTS;

/**
 * SECRETS: settings whose values are secrets. SECRET_FILES: settings whose values are paths of files that contain a
 * secret.
 */
const SECRETS = ['GSQ_INTERNAL_SECRET', 'GSQ_BOOTSTRAP_TOKEN'];
const SECRET_FILES = ['GSQ_INTERNAL_SECRET_FILE', 'GSQ_BOOTSTRAP_TOKEN_FILE', 'GSQ_INTERNAL_TLS_KEY'];
/** Secret files that a core creates in its data directory. */
const MADE = ['internal.secret', 'token.key', 'credentials.key'];

let transcripts = 0;

/**
 * True if process output is collected for the leak search, in which the test runner searches this output for secrets.
 */
export const isHeard = directory !== undefined;

const told = new Map<string, string>();

/**
 * Collects a text such as an HTTP answer. After the tests, the test runner searches it for leaked secrets. `what`
 * describes the text.
 */
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

/**
 * Adds a secret that the test runner searches for in all collected output. Secrets in settings need no call of this
 * function.
 */
export function keepSecret(secret: string): void {
  if (directory === undefined) return;
  appendFileSync(
    join(directory, `${process.pid}-given.secrets`),
    `${Buffer.from(secret).toString('base64')}\n`,
  );
}

/** Collects the output and the secrets of one process. The test runner later searches the output for secrets. */
export class Transcript {
  readonly #path: string | undefined;

  /**
   * Starts to collect the output of a process. `command`: its command line. `env`: its environment variables, which can
   * contain secrets.
   */
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
   * Adds the secrets in the data directory of the process to the search for leaked secrets. Must be called after the
   * process has ended.
   */
  end(dataDirectory: string): void {
    if (this.#path === undefined) return;
    for (const name of MADE) this.#keepFile(join(dataDirectory, name));
  }

  #keepFile(path: string | undefined): void {
    if (path !== undefined && existsSync(path)) this.#keep(readFileSync(path));
  }

  /**
   * Stores a secret for the leak search of the test runner. It is stored as base64, because a secret can contain bytes
   * that are not text.
   */
  #keep(secret: Buffer): void {
    if (secret.length > 0) this.#append('secrets', `${secret.toString('base64')}\n`);
  }

  #append(kind: string, what: string | Buffer): void {
    appendFileSync(`${this.#path}.${kind}`, what);
  }
}
