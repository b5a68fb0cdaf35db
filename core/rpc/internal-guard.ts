import { createHash, timingSafeEqual } from 'node:crypto';
import { INTERNAL_SECRET_KEY } from '../../proto/clients.ts';
import { ServiceError } from '../../proto/service-error.ts';
import type { CallGuard } from './handler.ts';

const digest = (text: string): Buffer => createHash('sha256').update(text).digest();

/**
 * Returns a guard that refuses calls without the shared secret of the internal port. The guard compares the secrets in
 * constant time.
 */
export function internalGuard(secret: string): CallGuard {
  const expected = digest(secret);
  return metadata => {
    const given = String(metadata.get(INTERNAL_SECRET_KEY)[0] ?? '');
    if (!timingSafeEqual(digest(given), expected)) {
      throw new ServiceError(
        'AUTH_5',
        'The internal port wants another secret: that of GSQ_INTERNAL_SECRET, or of internal.secret in the data directory of the core.',
      );
    }
  };
}
