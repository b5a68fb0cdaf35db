import { ServiceError } from '../../proto/service-error.ts';

/**
 * Error with which a storage engine refuses a write. Nothing of the write is acknowledged, so callers can try again.
 * API callers get the code CORE_1.
 */
export class NoWrites extends ServiceError {
  override name = 'NoWrites';

  constructor(message: string) {
    super('CORE_1', message, { retryAfterSeconds: 10 });
  }
}
