import type { Unknowable } from '../transport/answer.ts';

/** A look-up that ends without a status. Whatever a directory does wrong is thrown as one of these. */
export class Unanswered extends Error {
  override name = 'Unanswered';
  readonly answer: Unknowable;

  /** `retryAfterMs`: when asking again can make a difference, in ms from now. */
  constructor(kind: Unknowable['kind'], detail: string, retryAfterMs?: number) {
    super(detail);
    this.answer = { kind, detail, ...(retryAfterMs !== undefined && { retryAfterMs }) };
  }
}

/** A directory lists the server, in a way that makes no sense. */
export function senseless(directory: string): Unanswered {
  return new Unanswered('directory-unavailable', `${directory}: an entry that makes no sense`);
}

/** Whether credentials are lacking or refused. */
export function isAboutCredentials(error: unknown): boolean {
  return error instanceof Unanswered && error.answer.kind === 'needs-credentials';
}

/** The server is not in a directory that answered. */
export function notListed(directory: string): Unanswered {
  return new Unanswered('not-listed', `the directory ${directory} does not list this server`);
}
