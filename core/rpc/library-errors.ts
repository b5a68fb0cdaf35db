import type { OutgoingHttpHeaders } from 'node:http2';
import { status } from '@grpc/grpc-js';
import { DETAILS_KEY, ServiceError, toGrpcStatus } from '../../proto/service-error.ts';
import { MAX_MESSAGE_BYTES } from './call-limits.ts';

const NOT_ONE_MESSAGE = new ServiceError('GRPC_1', 'The method takes exactly one message.');

/** The errors that grpc-js reports itself, by the start of their message, and the errors that callers get instead. */
const ERRORS: readonly (readonly [start: string, error: ServiceError])[] = [
  [
    'Received message larger than max',
    new ServiceError('POST_5', 'The message is over 1 MiB; send fewer addresses in one message.', {
      facts: { max_message_bytes: String(MAX_MESSAGE_BYTES) },
    }),
  ],
  ['Deadline exceeded', new ServiceError('CORE_2', 'The call had no answer before its deadline; try again.')],
  ['Error deserializing request', new ServiceError('GRPC_1', 'The message does not fit the method.')],
  [
    'Invalid grpc-timeout',
    new ServiceError('GRPC_1', 'grpc-timeout must be digits and a unit, such as 10S.'),
  ],
  ['Received a second request message', NOT_ONE_MESSAGE],
  ['Received no request message', NOT_ONE_MESSAGE],
  [
    'The server does not implement the method',
    new ServiceError('ROUTE_1', 'There is no such method on this port; reflection lists all methods.'),
  ],
];

const UNEXPECTED = new ServiceError('INTERNAL_1', 'Something went wrong inside the service.');

/**
 * Adds the error details of gsq to the fields that end a call. grpc-js itself ends a call without error details, for
 * example if a message is too large or the method does not exist. Returns other fields unchanged.
 */
export function explainError(fields: OutgoingHttpHeaders, requestId: string): OutgoingHttpHeaders {
  const code = Number(fields['grpc-status'] ?? status.OK);
  if (code === status.OK || DETAILS_KEY in fields) return fields;
  // Not decoded with decodeURI, because grpc-js does not encode the message about an unknown method. The message
  // contains the path from the caller, and decodeURI throws an error for a path such as `/%ff`.
  const message = String(fields['grpc-message']).replaceAll('%20', ' ');
  const [, error = UNEXPECTED] = ERRORS.find(([start]) => message.startsWith(start)) ?? [];
  const explained = toGrpcStatus(error, requestId);
  return {
    ...fields,
    'grpc-status': explained.code,
    'grpc-message': encodeURI(error.message),
    ...explained.metadata?.toHttp2Headers(),
  };
}
