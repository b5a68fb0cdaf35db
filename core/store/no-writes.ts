import { ServiceError } from '../../proto/service-error.ts';

/** The engine refuses writes: nothing of what the caller wanted to write is acknowledged. Callers may retry (CORE_1). */
export class NoWrites extends ServiceError {
  override name = 'NoWrites';

  constructor(message: string) {
    super('CORE_1', message, { retryAfterSeconds: 10 });
  }
}
