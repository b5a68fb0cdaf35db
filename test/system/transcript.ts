import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Readable } from 'node:stream';

/** Where the runner of the tests wants to find what processes said (scripts/run-tests.ts); absent where nobody does. */
const directory = process.env.TEST_TRANSCRIPTS;

/** Settings that are secrets, and those that name files with one. */
const SECRETS = ['GSQ_INTERNAL_SECRET', 'GSQ_BOOTSTRAP_TOKEN'];
const SECRET_FILES = ['GSQ_INTERNAL_SECRET_FILE', 'GSQ_BOOTSTRAP_TOKEN_FILE', 'GSQ_INTERNAL_TLS_KEY'];
/** What a core makes in its data directory. */
const MADE = ['internal.secret', 'token.key', 'credentials.key'];

let transcripts = 0;

/** Whether anybody wants to know what is heard. */
export const isHeard = directory !== undefined;

const told = new Map<string, string>();

/** Keeps what was told otherwise than by the output of a process, such as in answers, for whoever looks for secrets in it. */
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

/** Keeps a secret that a test gave a process otherwise than by a setting, for whoever looks for it. */
export function keepSecret(secret: string): void {
  if (directory === undefined) return;
  appendFileSync(
    join(directory, `${process.pid}-given.secrets`),
    `${Buffer.from(secret).toString('base64')}\n`,
  );
}

/** What one process says, and the secrets it has, for whoever looks whether it told one of them. */
export class Transcript {
  readonly #path: string | undefined;

  /** `command`: what it was started as; `env`: what it was given. */
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

  /** Keeps what a process made in its data directory; to be called when it has ended. */
  end(dataDirectory: string): void {
    if (this.#path === undefined) return;
    for (const name of MADE) this.#keepFile(join(dataDirectory, name));
  }

  #keepFile(path: string | undefined): void {
    if (path !== undefined && existsSync(path)) this.#keep(readFileSync(path));
  }

  /** One to a line, in base64: a key is no text. */
  #keep(secret: Buffer): void {
    if (secret.length > 0) this.#append('secrets', `${secret.toString('base64')}\n`);
  }

  #append(kind: string, what: string | Buffer): void {
    appendFileSync(`${this.#path}.${kind}`, what);
  }
}
