import {
  type Metadata,
  ServerInterceptingCall,
  type ServerInterceptingCallInterface,
  type ServerInterceptor,
  type ServerListener,
} from '@grpc/grpc-js';
import type { AddressCap } from '../../net/address-cap.ts';
import { ServiceError, toGrpcStatus } from '../../proto/service-error.ts';
import { originOfMetadata } from './call-origin.ts';

/** Options of `callLimits`. */
export interface CallLimitsOptions {
  /** Limits the open calls of each IP address. If absent, there is no limit. */
  perAddress?: AddressCap | undefined;
  /** Longest time to wait for the request message of a unary call, ms. */
  arrivalMs?: number;
  /** Longest time until the next complete message of a stream has arrived, ms. */
  silenceMs?: number;
}

/** Maximum size of a message on the public port, in bytes. A request with 1000 addresses is much smaller. */
export const MAX_MESSAGE_BYTES = 1024 * 1024;

const ARRIVAL_MS = 10_000;
const SILENCE_MS = 300_000;

const LATE = new ServiceError('GRPC_3', `The request did not arrive within ${ARRIVAL_MS / 1000} seconds.`, {
  facts: { max_seconds: String(ARRIVAL_MS / 1000) },
});

const SILENT = new ServiceError(
  'GRPC_3',
  'No whole message came for five minutes; open another stream when there is more to ask.',
  { facts: { max_seconds: String(SILENCE_MS / 1000) } },
);

const COMPRESSED = new ServiceError(
  'GRPC_2',
  'Requests must not be compressed; leave grpc-encoding out, or set it to identity.',
);

const TOO_MANY = new ServiceError(
  'CORE_1',
  'Too many calls from this address are open; end some, or use one FetchStream.',
  { retryAfterSeconds: 1 },
);

const NOTHING = (): void => {};

/**
 * Limits public calls before their tokens are checked:
 * - Compressed messages are refused. grpc-js decompresses all messages that arrive together, before any code can count
 *   them. Each can become 1 MiB, so 16 KB of compressed data can become 15 MiB.
 * - The number of open calls of each IP address is limited.
 * - The message of a unary call, and each next message of a stream, must arrive within a time limit. grpc-js buffers
 *   incomplete messages without reporting them.
 */
export function callLimits({
  perAddress,
  arrivalMs = ARRIVAL_MS,
  silenceMs = SILENCE_MS,
}: CallLimitsOptions): ServerInterceptor {
  return (method, call) => {
    let release = NOTHING;
    let late: NodeJS.Timeout | undefined;
    let received: Metadata | undefined;
    const refuse = (error: ServiceError): void =>
      call.sendStatus(toGrpcStatus(error, received && originOfMetadata(received).request_id));
    const listener: ServerListener = {
      // grpc-js does not report the end of a call that ends before its metadata arrives. Therefore a call is counted
      // only when its metadata arrives.
      onReceiveMetadata(metadata, next) {
        received = metadata;
        if (encodingOf(call) !== 'identity') {
          refuse(COMPRESSED);
          return;
        }
        const acquired = perAddress
          ? perAddress.takeSlot(call.getConnectionInfo().remoteAddress ?? '')
          : NOTHING;
        if (!acquired) {
          refuse(TOO_MANY);
          return;
        }
        release = acquired;
        late = method.requestStream
          ? setTimeout(refuse, silenceMs, SILENT)
          : setTimeout(refuse, arrivalMs, LATE);
        next(metadata);
      },
      onReceiveMessage(message, next) {
        if (method.requestStream) late?.refresh();
        next(message);
      },
      onReceiveHalfClose(next) {
        clearTimeout(late);
        next();
      },
      onCancel() {
        clearTimeout(late);
        release();
      },
    };
    const responder = { start: (next: (listener: ServerListener) => void) => next(listener) };
    return method.path.startsWith('/grpc.reflection.')
      ? new PacedCall(call, responder)
      : new ServerInterceptingCall(call, responder);
  };
}

/**
 * Returns the compression of the messages of a call. Reads it from a private field of grpc-js, because interceptors see
 * neither the header nor the compressed messages. If a later release of grpc-js renames the field, every call is
 * refused and the tests fail.
 */
function encodingOf(call: ServerInterceptingCallInterface): unknown {
  return 'incomingEncoding' in call ? call.incomingEncoding : undefined;
}

/**
 * Adds backpressure to the reflection service: the next message of a stream is read after the replies to earlier
 * messages were sent. Pausing the stream is not enough, because grpc-js still reads 16 more messages of up to 1 MiB
 * each. A request of 30 bytes can have a reply of 126 KB.
 */
class PacedCall extends ServerInterceptingCall {
  #unsent = 0;
  #isReadPending = false;

  override sendMessage(message: unknown, sent: () => void): void {
    this.#unsent++;
    super.sendMessage(message, () => {
      this.#unsent--;
      sent();
      if (!this.#isReadPending || this.#unsent > 0) return;
      this.#isReadPending = false;
      super.startRead();
    });
  }

  override startRead(): void {
    if (this.#unsent > 0) this.#isReadPending = true;
    else super.startRead();
  }
}
