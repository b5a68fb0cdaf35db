import { ServiceError } from '../../../proto/service-error.ts';

/**
 * Creates the error for a call that has failed because the core that owns the servers did not answer in time. Its code
 * CORE_1 tells the caller to try again.
 */
export function ownerAway(): ServiceError {
  return new ServiceError(
    'CORE_1',
    'The part of the service that has some of these servers cannot be reached at the moment; try again.',
    { retryAfterSeconds: 1 },
  );
}

/**
 * Creates the error CORE_1 for calls that exceed a limit of the stream to another core, such as `max_calls`. `facts`:
 * name and value of the limit. The caller should create only one such error and use it for all calls, because creating
 * an error costs CPU time.
 */
export function tooBusy(facts: Readonly<Record<string, string>>): ServiceError {
  return new ServiceError(
    'CORE_1',
    'Too many calls between the parts of the service are under way; try again shortly.',
    { retryAfterSeconds: 1, facts },
  );
}
