import {
  ServerInterceptingCall,
  type ServerInterceptingCallInterface,
  type ServerInterceptor,
  type ServerListener,
  status,
} from '@grpc/grpc-js';
import type { AddressCap } from '../../net/address-cap.ts';
import { ServiceError, toGrpcStatus } from '../../proto/service-error.ts';

export interface CallLimitsOptions {
  /** Calls open at a time; absent: any number. */
  perAddress?: AddressCap | undefined;
  /** How long the one message of a call may take to arrive, in milliseconds. */
  arrivalMs?: number;
  /** How long a stream may go without a whole message, in milliseconds. */
  silenceMs?: number;
}

const ARRIVAL_MS = 10_000;
const SILENCE_MS = 300_000;

const LATE = { code: status.DEADLINE_EXCEEDED, details: 'The request did not arrive within 10 seconds.' };

const SILENT = {
  code: status.DEADLINE_EXCEEDED,
  details: 'No whole message came for five minutes; open another stream when there is more to ask.',
};

const COMPRESSED = {
  code: status.UNIMPLEMENTED,
  details: 'Requests are taken uncompressed only; leave grpc-encoding out.',
};

const TOO_MANY = toGrpcStatus(
  new ServiceError('CORE_1', 'Too many calls from this address are open; end some, or use one FetchStream.', {
    retryAfterSeconds: 1,
  }),
);

const NOTHING = (): void => {};

/**
 * What a public call may take of the core before anybody knows who it is from:
 * - nothing, where its messages are compressed: they are unfolded before they are looked at, and the 64 KiB that may be on
 *   the way on one stream become 64 MiB;
 * - a share of the calls of its address;
 * - some time to arrive, where it is of one message; a stream has that time again after each of its messages, and more of
 *   it. What has come of a message is kept until the rest has, and nobody tells us that some has.
 */
export function callLimits({
  perAddress,
  arrivalMs = ARRIVAL_MS,
  silenceMs = SILENCE_MS,
}: CallLimitsOptions): ServerInterceptor {
  return (method, call) => {
    let give = NOTHING;
    let late: NodeJS.Timeout | undefined;
    const listener: ServerListener = {
      // All of it here: a call that is over before this never tells of its end.
      onReceiveMetadata(metadata, next) {
        if (encodingOf(call) !== 'identity') {
          call.sendStatus(COMPRESSED);
          return;
        }
        const given = perAddress
          ? perAddress.takeSlot(call.getConnectionInfo().remoteAddress ?? '')
          : NOTHING;
        if (!given) {
          call.sendStatus(TOO_MANY);
          return;
        }
        give = given;
        late = method.requestStream
          ? setTimeout(() => call.sendStatus(SILENT), silenceMs)
          : setTimeout(() => call.sendStatus(LATE), arrivalMs);
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
        give();
      },
    };
    const responder = { start: (next: (listener: ServerListener) => void) => next(listener) };
    return method.path.startsWith('/grpc.reflection.')
      ? new PacedCall(call, responder)
      : new ServerInterceptingCall(call, responder);
  };
}

/**
 * What a call declares its messages to be compressed with. There is no public way to it: grpc-js takes the header out of the
 * metadata before interceptors see it, unfolds a message before it hands it on, and has no option to leave that. Where
 * this name of its changes, every call is refused, and every test fails.
 */
function encodingOf(call: ServerInterceptingCallInterface): unknown {
  return 'incomingEncoding' in call ? call.incomingEncoding : undefined;
}

/**
 * Reads the next message of a stream when the answers to those before have left. @grpc/reflection writes without asking
 * whether anybody reads, and a question of 30 bytes has an answer of 20 KB.
 */
class PacedCall extends ServerInterceptingCall {
  #unsent = 0;
  #held = false;

  override sendMessage(message: unknown, sent: () => void): void {
    this.#unsent++;
    super.sendMessage(message, () => {
      this.#unsent--;
      sent();
      if (!this.#held || this.#unsent > 0) return;
      this.#held = false;
      super.startRead();
    });
  }

  override startRead(): void {
    if (this.#unsent > 0) this.#held = true;
    else super.startRead();
  }
}
