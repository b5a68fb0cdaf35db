import { ServiceError } from '../../proto/service-error.ts';

/** Creates a CORE_1 error: the core cannot be reached or is overloaded, and the caller can retry after a second. */
export function coreAway(message = 'The service cannot be reached at the moment; try again.'): ServiceError {
  return new ServiceError('CORE_1', message, { retryAfterSeconds: 1 });
}

/** Creates a CORE_2 error: the core did not answer before the deadline. */
export function coreSlow(): ServiceError {
  return new ServiceError('CORE_2', 'The service did not answer in time; try again in a moment.');
}

/**
 * Every request that load shedding refuses gets this CORE_1 error. A new Error object for each refusal would cost 6 µs.
 * If the HTTP listener catches this object, it pauses the connection.
 */
export const overloaded = new ServiceError(
  'CORE_1',
  'The service has too many requests in progress; try again.',
  { retryAfterSeconds: 1 },
);
