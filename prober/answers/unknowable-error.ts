import type { Unknowable } from './answer.ts';

/**
 * Error of a query or look-up that cannot find out the status of a server. Causes: a directory that does not answer
 * correctly or does not list the server, a missing secret or option, or a rate limit.
 */
export class UnknowableError extends Error {
  override name = 'UnknowableError';
  readonly answer: Unknowable;

  /** `retryAfterMs`: milliseconds after which a new look-up can succeed. */
  constructor(kind: Unknowable['kind'], detail: string, retryAfterMs?: number) {
    super(detail);
    this.answer = { kind, detail, ...(retryAfterMs !== undefined && { retryAfterMs }) };
  }
}

/** Creates the error for a directory that lists the server with an entry that cannot be parsed. */
export function senseless(directory: string): UnknowableError {
  return new UnknowableError('directory-unavailable', `${directory}: an entry that makes no sense`);
}

/** True if an error means that credentials are missing or refused. */
export function isAboutCredentials(error: unknown): boolean {
  return error instanceof UnknowableError && error.answer.kind === 'needs-credentials';
}

/** Creates the error for a directory that answered but does not list the server. */
export function notListed(directory: string): UnknowableError {
  return new UnknowableError('not-listed', `the directory ${directory} does not list this server`);
}
