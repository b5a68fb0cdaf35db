import { ServiceError } from '../../proto/service-error.ts';

/**
 * Error with which a storage engine refuses a write. No part of the refused write is acknowledged, so callers can try
 * again. Callers get the code CORE_1.
 */
export class NoWrites extends ServiceError {
  override name = 'NoWrites';

  constructor(message: string) {
    super('CORE_1', message, { retryAfterSeconds: 10 });
  }
}
