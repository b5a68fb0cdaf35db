import type { Unknowable } from './answer.ts';

/**
 * Error of a query or look-up that cannot determine whether a server is online. Causes: a failure of the public server
 * list, a server that is not in the list, a missing secret or option, or a rate limit.
 */
export class UnknowableError extends Error {
  override name = 'UnknowableError';
  readonly answer: Unknowable;

  /** `retryAfterMs`: time after which the query or look-up can be repeated, ms. Earlier, it would fail again. */
  constructor(kind: Unknowable['kind'], detail: string, retryAfterMs?: number) {
    super(detail);
    this.answer = { kind, detail, ...(retryAfterMs !== undefined && { retryAfterMs }) };
  }
}

/** Creates the error for a server whose entry in the public server list cannot be parsed. */
export function senseless(directory: string): UnknowableError {
  return new UnknowableError('directory-unavailable', `${directory}: an entry that makes no sense`);
}

/** True if an error of a look-up means that the credentials for a public server list are missing or refused. */
export function isAboutCredentials(error: unknown): boolean {
  return error instanceof UnknowableError && error.answer.kind === 'needs-credentials';
}

/** Creates the error for a server that is missing in a public server list. */
export function notListed(directory: string): UnknowableError {
  return new UnknowableError('not-listed', `the directory ${directory} does not list this server`);
}
