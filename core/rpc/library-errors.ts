import type { IncomingHttpHeaders, OutgoingHttpHeaders, ServerHttp2Stream } from 'node:http2';
import { type ServerInterceptingCallInterface, status } from '@grpc/grpc-js';
import { plainIP } from '../../net/ipv6.ts';
import { DETAILS_KEY, ServiceError, toGrpcStatus } from '../../proto/service-error.ts';
import { MAX_MESSAGE_BYTES } from './call-limits.ts';
import { originOf, REQUEST_ID_KEY, saneRequestId } from './call-origin.ts';
import type { UnservedCalls } from './unserved-calls.ts';

/** Error of a call that took longer than the deadline that its caller had chosen. */
export const DEADLINE = new ServiceError('CORE_2', 'The call had no answer before its deadline; try again.');

const NOT_ONE_MESSAGE = new ServiceError('GRPC_1', 'The method takes exactly one message.');

/** The gsq errors that replace the errors of grpc-js. Each key is the beginning of an error message of grpc-js. */
const ERRORS: readonly (readonly [start: string, error: ServiceError])[] = [
  [
    'Received message larger than max',
    new ServiceError('POST_5', 'The message is over 1 MiB; send fewer addresses in one message.', {
      facts: { max_message_bytes: String(MAX_MESSAGE_BYTES) },
    }),
  ],
  ['Deadline exceeded', DEADLINE],
  ['Error deserializing request', new ServiceError('GRPC_1', 'The message does not fit the method.')],
  [
    'Invalid grpc-timeout',
    new ServiceError('GRPC_1', 'grpc-timeout must be digits and a unit, such as 10S.'),
  ],
  ['Received a second request message', NOT_ONE_MESSAGE],
  ['Received no request message', NOT_ONE_MESSAGE],
];

const UNKNOWN_METHOD = new ServiceError(
  'ROUTE_1',
  'There is no such method on this port; reflection lists all methods.',
);

const UNEXPECTED = new ServiceError('INTERNAL_1', 'Something went wrong inside the service.');

type Status = Parameters<ServerInterceptingCallInterface['sendStatus']>[0];

/**
 * Returns the gsq error that replaces an error of grpc-js itself, for example for a message that is too large. Returns
 * undefined if the call succeeded, or if the error already has gsq's error details.
 */
export function libraryError(ended: Status): ServiceError | undefined {
  if (ended.code === status.OK || ended.metadata?.get(DETAILS_KEY).length) return undefined;
  const [, error = UNEXPECTED] = ERRORS.find(([start]) => ended.details?.startsWith(start)) ?? [];
  return error;
}

/**
 * Handles a call of a method that does not exist: adds gsq's error details to the reply. `unserved` logs the call.
 * grpc-js creates no call object for such a call, so this function changes the reply in the HTTP/2 stream.
 */
export function explainUnknownMethod(
  stream: ServerHttp2Stream,
  headers: IncomingHttpHeaders,
  unserved: UnservedCalls,
): void {
  const { respond } = stream;
  const caller = plainIP(stream.session?.socket.remoteAddress ?? '');
  stream.respond = (fields: OutgoingHttpHeaders = {}, options) => {
    if ('grpc-status' in fields) {
      const requestId = saneRequestId(String(headers[REQUEST_ID_KEY] ?? ''));
      // The log line about a call of an unknown method does not contain the path of the call, because the caller chose
      // this path.
      const origin = originOf(requestId, '');
      unserved.logRefusal(UNKNOWN_METHOD.code, { caller, method: 'none', origin, ms: 0 });
      const { code, details, metadata } = toGrpcStatus(UNKNOWN_METHOD, requestId);
      Object.assign(
        fields,
        { 'grpc-status': code, 'grpc-message': encodeURI(details) },
        metadata?.toHttp2Headers(),
      );
    }
    Reflect.apply(respond, stream, [fields, options]);
  };
}
