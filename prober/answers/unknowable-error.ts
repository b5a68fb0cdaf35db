import type { Unknowable } from './answer.ts';

/** Ends a look-up without a status. Directory code throws it for everything a directory does wrong. */
export class UnknowableError extends Error {
  override name = 'UnknowableError';
  readonly answer: Unknowable;

  /** `retryAfterMs`: milliseconds until asking again can help. */
  constructor(kind: Unknowable['kind'], detail: string, retryAfterMs?: number) {
    super(detail);
    this.answer = { kind, detail, ...(retryAfterMs !== undefined && { retryAfterMs }) };
  }
}

/** The error for a directory entry that lists the server but makes no sense. */
export function senseless(directory: string): UnknowableError {
  return new UnknowableError('directory-unavailable', `${directory}: an entry that makes no sense`);
}

/** True if an error says that credentials are missing or refused. */
export function isAboutCredentials(error: unknown): boolean {
  return error instanceof UnknowableError && error.answer.kind === 'needs-credentials';
}

/** The error for a directory that answered and does not list the server. */
export function notListed(directory: string): UnknowableError {
  return new UnknowableError('not-listed', `the directory ${directory} does not list this server`);
}
