import { ServiceError } from '../../proto/service-error.ts';

/** Error of a history that cannot be read now, for example because its disk fails. Callers can retry (CORE_1). */
export class NoHistory extends ServiceError {
  override name = 'NoHistory';

  constructor(message: string) {
    super('CORE_1', message, { retryAfterSeconds: 10 });
  }
}
