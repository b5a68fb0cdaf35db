import { SECRET_PREFIX } from './token-secret.ts';

const FORM = new RegExp(`^(?!${SECRET_PREFIX})[A-Za-z0-9._-]{1,64}$`);

/**
 * True if a caller is allowed to choose this request id. A request id must not be the secret of a token: request ids
 * are logged, and a caller can send its token in the wrong header by mistake.
 */
export function isRequestId(text: string): boolean {
  return FORM.test(text);
}
