import { ServiceError } from '../../proto/service-error.ts';

/**
 * Error of a storage engine that refuses writes. It acknowledges no part of a refused write, so callers can retry
 * (CORE_1).
 */
export class NoWrites extends ServiceError {
  override name = 'NoWrites';

  constructor(message: string) {
    super('CORE_1', message, { retryAfterSeconds: 10 });
  }
}
