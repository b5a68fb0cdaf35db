import {
  Metadata,
  ServerInterceptingCall,
  type ServerInterceptingCallInterface,
  type ServerInterceptor,
} from '@grpc/grpc-js';
import { BaseServerInterceptingCall } from '@grpc/grpc-js/build/src/server-interceptors.js';
import { type ServiceError, toGrpcStatus } from '../../proto/service-error.ts';
import { millisecondsSince } from './call-journal.ts';
import { type CallLimits, COMPRESSED, LATE, SILENT, TOO_MANY } from './call-limits.ts';
import { originOfMetadata } from './call-origin.ts';
import { LengthPrefixed } from './length-prefixed.ts';
import { DEADLINE, libraryError } from './library-errors.ts';
import { peerAddress } from './peer-address.ts';
import { gzipMessage } from './reply-encoding.ts';
import type { UnservedCalls } from './unserved-calls.ts';

type Listener = Parameters<ServerInterceptingCallInterface['start']>[0];
type Status = Parameters<ServerInterceptingCallInterface['sendStatus']>[0];

/**
 * Initial metadata of all replies, which tells callers not to compress requests. Without this metadata, grpc-js would
 * tell callers that the server accepts `deflate` and `gzip`.
 */
const PLAIN = new Metadata();
PLAIN.set('grpc-accept-encoding', 'identity');
/** Initial metadata of replies whose messages can be compressed. */
const GZIP = PLAIN.clone();
GZIP.set('grpc-encoding', 'gzip');

const NOTHING = (): void => {};

/** Options of the interceptor of a public port (`publicCalls`). */
export interface PublicCallOptions {
  limits: CallLimits;
  /** Returns true if the replies to the call that grpc-js is about to start must be compressed with gzip. */
  acceptsGzip: () => boolean;
  /**
   * Logs two kinds of calls: those that are refused before a handler serves them, and those that grpc-js itself ends.
   */
  unserved: UnservedCalls;
}

/** Returns the interceptor of a public port: it makes a `PublicCall` of each call. */
export function publicCalls(options: PublicCallOptions): ServerInterceptor {
  return ({ path, requestStream }, call) => {
    const PortCall = path.startsWith('/grpc.reflection.') ? PacedCall : PublicCall;
    return new PortCall(call, options, path, requestStream);
  };
}

/**
 * A call on the public port. Applies `CallLimits` before the token is checked, adds gsq's error details, and compresses
 * large messages. This class overrides methods of the call class of grpc-js. It does not use grpc-js' own hooks for
 * interceptors, because they create ten functions and objects for each call.
 */
class PublicCall extends ServerInterceptingCall {
  readonly #call: ServerInterceptingCallInterface;
  readonly #limits: CallLimits;
  readonly #unserved: UnservedCalls;
  readonly #path: string;
  readonly #began = performance.now();
  readonly #isStream: boolean;
  readonly #gzip: boolean;
  #listener: Listener | undefined;
  #received: Metadata | undefined;
  #isMetadataSent = false;
  #hasStatus = false;
  #late: NodeJS.Timeout | undefined;
  #release = NOTHING;

  constructor(
    call: ServerInterceptingCallInterface,
    { limits, unserved, acceptsGzip }: PublicCallOptions,
    path: string,
    isStream: boolean,
  ) {
    super(call);
    this.#call = call;
    this.#limits = limits;
    this.#unserved = unserved;
    this.#path = path;
    this.#isStream = isStream;
    this.#gzip = acceptsGzip();
  }

  #requestId(): string | undefined {
    return this.#received && originOfMetadata(this.#received).request_id;
  }

  /** Compresses a message that grpc-js has encoded, if the caller accepts gzip. */
  compress(message: Buffer): Buffer {
    return this.#gzip ? gzipMessage(message) : message;
  }

  /**
   * Returns the status that is sent at the end of a call. `ended`: the status that grpc-js would send. If this is an
   * error of grpc-js itself, for example a message that is too large, logs the error and returns a status with gsq's
   * error details. Otherwise returns `ended` unchanged.
   */
  explain(ended: Status): Status {
    const error = libraryError(ended);
    if (error) this.#logRefusal(error);
    this.#hasStatus = true;
    return error ? toGrpcStatus(error, this.#requestId()) : ended;
  }

  #logRefusal(error: ServiceError): void {
    // grpc-js sometimes ends a call twice. The second end has no effect, so it is not logged.
    if (this.#hasStatus) return;
    const caller = peerAddress(this.#call);
    const method = this.#path.slice(this.#path.lastIndexOf('/') + 1);
    const origin = this.#received ? originOfMetadata(this.#received) : {};
    const isOwnLimit = error === TOO_MANY || error === DEADLINE;
    const ms = millisecondsSince(this.#began);
    this.#unserved.logRefusal(error.code, { caller, method, origin, ms, isOwnLimit });
  }

  #refuse(error: ServiceError): void {
    this.#logRefusal(error);
    const status = toGrpcStatus(error, this.#requestId());
    // If a message was refused because it is compressed, the status tells the caller which encodings the server
    // accepts.
    if (error === COMPRESSED) status.metadata?.merge(PLAIN);
    this.#call.sendStatus(status);
  }

  override start(listener: Listener): void {
    this.#listener = listener;
    this.#call.start(this);
  }

  // Counts the open calls of an address. A call is counted only when its metadata has arrived, because grpc-js does not
  // report the end of a call without metadata. Such a call would stay counted for ever.
  onReceiveMetadata(metadata: Metadata): void {
    const { perAddress, arrivalMs, silenceMs } = this.#limits;
    this.#received = metadata;
    if (encodingOf(this.#call) !== 'identity') {
      this.#refuse(COMPRESSED);
      return;
    }
    const release = perAddress ? perAddress.takeSlot(this.getConnectionInfo().remoteAddress ?? '') : NOTHING;
    if (!release) {
      this.#refuse(TOO_MANY);
      return;
    }
    this.#release = release;
    this.#late = this.#isStream
      ? setTimeout(() => this.#refuse(SILENT), silenceMs)
      : setTimeout(() => this.#refuse(LATE), arrivalMs);
    this.#listener?.onReceiveMetadata(metadata);
  }

  onReceiveMessage(message: unknown): void {
    if (this.#isStream) this.#late?.refresh();
    this.#listener?.onReceiveMessage(message);
  }

  onReceiveHalfClose(): void {
    clearTimeout(this.#late);
    this.#listener?.onReceiveHalfClose();
  }

  onCancel(): void {
    clearTimeout(this.#late);
    this.#release();
    this.#listener?.onCancel();
  }

  override sendMetadata(metadata: Metadata): void {
    this.#isMetadataSent = true;
    metadata.merge(this.#gzip ? GZIP : PLAIN);
    this.#call.sendMetadata(metadata);
  }

  override sendMessage(message: unknown, sent: () => void): void {
    if (!this.#isMetadataSent) this.sendMetadata(new Metadata());
    this.#call.sendMessage(message, sent);
  }

  override sendStatus(status: Status): void {
    this.#call.sendStatus(status);
  }
}

/**
 * Returns the encoding (compression) of the caller's messages. Reads a private field of grpc-js, because interceptors
 * do not see the header `grpc-encoding`. If a later release of grpc-js renames the field, every call is refused, so the
 * tests fail.
 */
function encodingOf(call: ServerInterceptingCallInterface): unknown {
  return 'incomingEncoding' in call ? call.incomingEncoding : undefined;
}

/**
 * A call of the reflection service. It reads the next message only after all replies to earlier messages were sent
 * (backpressure). Otherwise a caller could fill the memory of the core, because a request of 30 bytes can have a reply
 * of 126 KB. Pausing the stream would not be enough, because grpc-js would still read 16 messages of up to 1 MiB.
 */
class PacedCall extends PublicCall {
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

/** The members of grpc-js' own call object that this file uses. Most of them are private in grpc-js. */
interface LibraryCall {
  /** The listener that was passed to `start`, a method of this call object. */
  listener: unknown;
  /** Returns true if the call is cancelled or has ended, even if no event has reported this yet. */
  checkCancelled(): boolean;
  sendStatus(status: Status): void;
  serializeMessage(message: unknown): Buffer;
}

/**
 * Replaces two methods of grpc-js' call class for the whole process, because interceptors miss some errors and never
 * see encoded messages. Replacing the methods in each call object would cost more CPU time.
 */
function changeLibraryCalls(calls: LibraryCall): void {
  const { sendStatus, serializeMessage } = calls;
  calls.sendStatus = function (status) {
    // grpc-js sends no status for a call that the caller cancelled. Such a call must not reach `explain`, which would
    // log it as a refusal.
    if (this.checkCancelled()) return;
    const explained = this.listener instanceof PublicCall ? this.listener.explain(status) : status;
    Reflect.apply(sendStatus, this, [explained]);
  };
  calls.serializeMessage = function (message) {
    const encoded: Buffer =
      message instanceof LengthPrefixed ? message.bytes : Reflect.apply(serializeMessage, this, [message]);
    return this.listener instanceof PublicCall ? this.listener.compress(encoded) : encoded;
  };
}

changeLibraryCalls(BaseServerInterceptingCall.prototype as unknown as LibraryCall);
