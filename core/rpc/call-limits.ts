import type { AddressCap } from '../../net/address-cap.ts';
import { ServiceError } from '../../proto/service-error.ts';

/** Maximum size of a message on the public port, in bytes. A request with 1000 addresses is much smaller. */
export const MAX_MESSAGE_BYTES = 1024 * 1024;

const ARRIVAL_MS = 10_000;
const SILENCE_MS = 300_000;

/**
 * Limits of calls on the public port. Compressed messages are refused, because grpc-js decompresses them before gsq can
 * limit them: 16 KB can become 15 MiB.
 */
export interface CallLimits {
  /** Limits the open calls of each IP address. If absent, there is no limit. */
  perAddress?: AddressCap | undefined;
  /** Longest time to wait for the request message of a unary call, ms. */
  arrivalMs: number;
  /** Longest time to wait for the next complete message of a stream, ms. */
  silenceMs: number;
}

/** The time limits for messages on the public port. */
export const TIME_LIMITS = { arrivalMs: ARRIVAL_MS, silenceMs: SILENCE_MS };

export const LATE = new ServiceError(
  'GRPC_3',
  `The request did not arrive within ${ARRIVAL_MS / 1000} seconds.`,
  {
    facts: { max_seconds: String(ARRIVAL_MS / 1000) },
  },
);

export const SILENT = new ServiceError(
  'GRPC_3',
  'No whole message came for five minutes; open another stream when there is more to ask.',
  { facts: { max_seconds: String(SILENCE_MS / 1000) } },
);

export const COMPRESSED = new ServiceError(
  'GRPC_2',
  'Requests must not be compressed; leave grpc-encoding out, or set it to identity.',
);

export const TOO_MANY = new ServiceError(
  'CORE_1',
  'Too many calls from this address are open; end some, or use one FetchStream.',
  { retryAfterSeconds: 1 },
);
