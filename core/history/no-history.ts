import { ServiceError } from '../../proto/service-error.ts';

/**
 * Error if the history cannot be read now, for example because its disk fails. Callers get CORE_1 and can try again.
 */
export class NoHistory extends ServiceError {
  override name = 'NoHistory';

  constructor(message: string) {
    super('CORE_1', message, { retryAfterSeconds: 10 });
  }
}
