import { ServiceError } from '../../proto/service-error.ts';

/** CORE_1: the core cannot be reached, or has too much to do; the caller may retry after a second. */
export function coreAway(message = 'The service cannot be reached at the moment; try again.'): ServiceError {
  return new ServiceError('CORE_1', message, { retryAfterSeconds: 1 });
}

/** CORE_2: the core did not answer before the deadline. */
export function coreSlow(): ServiceError {
  return new ServiceError('CORE_2', 'The service did not answer in time; try again in a moment.');
}

/**
 * CORE_1 for a request that load shedding refuses. The HTTP listener pauses the connection of a request that fails with
 * exactly this object. One object for all refusals, because creating an Error takes 6 µs, as long as the rest of a refusal.
 */
export const overloaded = new ServiceError(
  'CORE_1',
  'The service has too many requests in progress; try again.',
  { retryAfterSeconds: 1 },
);
