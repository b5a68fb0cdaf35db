import type { Unknowable } from './answer.ts';

/** A look-up that ends without a status. Whatever a directory does wrong is thrown as one of these. */
export class UnknowableError extends Error {
  override name = 'UnknowableError';
  readonly answer: Unknowable;

  /** `retryAfterMs`: when asking again can make a difference, in ms from now. */
  constructor(kind: Unknowable['kind'], detail: string, retryAfterMs?: number) {
    super(detail);
    this.answer = { kind, detail, ...(retryAfterMs !== undefined && { retryAfterMs }) };
  }
}

/** A directory lists the server, in a way that makes no sense. */
export function senseless(directory: string): UnknowableError {
  return new UnknowableError('directory-unavailable', `${directory}: an entry that makes no sense`);
}

/** Whether credentials are lacking or refused. */
export function isAboutCredentials(error: unknown): boolean {
  return error instanceof UnknowableError && error.answer.kind === 'needs-credentials';
}

/** The server is not in a directory that answered. */
export function notListed(directory: string): UnknowableError {
  return new UnknowableError('not-listed', `the directory ${directory} does not list this server`);
}
