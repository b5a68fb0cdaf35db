import type { Writable } from 'node:stream';
import {
  type handleBidiStreamingCall,
  type handleServerStreamingCall,
  type handleUnaryCall,
  type Metadata,
  type ServerDuplexStream,
  type ServerErrorResponse,
  type ServerUnaryCall,
  type ServerWritableStream,
  status,
} from '@grpc/grpc-js';
import type { CallAccount } from '../../proto/generated/codec/fetch.ts';
import { ServiceError, toGrpcStatus } from '../../proto/service-error.ts';
import { RefusedError } from '../access/allowance.ts';
import type { Act, AuditLog } from './audit-log.ts';
import { accountFields, type CallEnd, CallJournal, type MethodJournal } from './call-journal.ts';
import { type CallOrigin, originOfMetadata, requestIdOf } from './call-origin.ts';
import { CallPacing } from './call-pacing.ts';
import type { OperatorCall } from './operator.ts';
import { peerAddress } from './peer-address.ts';
import { sendReplyMetadata } from './reply-metadata.ts';

interface Call extends OperatorCall {
  metadata: Metadata;
  cancelled: boolean;
  request?: unknown;
  getPath(): string;
  sendMetadata(metadata: Metadata): void;
}

/**
 * Data about a call in progress that is needed to count and log the end of the call. Only the handler of the call knows
 * the fields of `CallAccount`, such as the id of the token.
 */
interface Entry extends CallAccount {
  journal: MethodJournal;
  began: number;
  isStream: boolean;
  /**
   * IP address of the caller of a stream; empty for other calls. Stored in advance, because grpc-js forgets the address
   * when the caller disconnects.
   */
  caller: string;
}

/** Error of a call that the caller cancelled before the handler began. The caller gets no status. */
const HUNG_UP = new Error('the caller hung up');

/** Logs an internal error. The caller does not see the message of this error. */
export type DefectLog = (error: unknown, method: string, origin: CallOrigin) => void;

/** Checks a call before its handler runs. Throws ServiceError to refuse the call. */
export type CallGuard = (metadata: Metadata) => void;

/**
 * Makes all gRPC handlers from async functions, because grpc-js does not catch rejected promises. A rejection becomes
 * the status of the call. Callers see the message of an error only if it is a ServiceError.
 */
export class Handlers {
  readonly #defect: DefectLog;
  readonly #guard: CallGuard;
  readonly #pacing = new CallPacing();
  /** Counts and logs the calls of all handlers in this object, including each call inside a FetchStream. */
  readonly journal: CallJournal;

  readonly #audit: AuditLog | undefined;

  /** `audit`: log of administrative acts; absent on a port without AdminService. */
  constructor(guard: CallGuard, defect: DefectLog, journal = new CallJournal(), audit?: AuditLog) {
    this.#guard = guard;
    this.#defect = defect;
    this.journal = journal;
    this.#audit = audit;
  }

  unary<In, Out>(
    handle: (call: ServerUnaryCall<In, Out>, account: CallAccount) => Promise<Out> | Out,
  ): handleUnaryCall<In, Out> {
    return (call, callback) => {
      const entry = this.#begin(call, false);
      this.#pacing.startCall(() => {
        this.#run(call, handle, entry).then(
          answer => {
            sendReplyMetadata(call);
            callback(null, answer);
          },
          error => this.#fail(call, error, callback),
        );
      });
    };
  }

  serverStream<In, Out>(
    handle: (call: ServerWritableStream<In, Out>, account: CallAccount) => Promise<void>,
  ): handleServerStreamingCall<In, Out> {
    return call => this.#stream(call, (_call, account) => handle(call, account));
  }

  bidi<In, Out>(
    handle: (call: ServerDuplexStream<In, Out>) => Promise<void>,
  ): handleBidiStreamingCall<In, Out> {
    return call => this.#stream(call, () => handle(call));
  }

  /** Runs the handler of a stream, and ends the stream when the handler ends. */
  #stream(call: Call & Writable, handle: (call: Call, account: CallAccount) => Promise<void>): void {
    this.#run(call, handle, this.#begin(call, true)).then(
      () => call.end(),
      error => this.#fail(call, error, status => call.emit('error', status)),
    );
  }

  /** Counts the call as in progress from now on, even if its handler begins later. */
  #begin(call: Call, isStream: boolean): Entry {
    const path = call.getPath();
    const journal = this.journal.of(path.slice(path.lastIndexOf('/') + 1));
    const began = journal.begin();
    const caller = isStream ? peerAddress(call) : '';
    return { journal, began, isStream, caller, tokenId: '', addresses: 0, inserted: 0, invalid: 0 };
  }

  async #run<C extends Call, Out>(
    call: C,
    handle: (call: C, account: CallAccount) => Promise<Out> | Out,
    entry: Entry,
  ): Promise<Out> {
    let code: CallEnd = 'OK';
    let act: Act | undefined;
    let answer: Out | undefined;
    try {
      if (call.cancelled) throw HUNG_UP;
      this.#guard(call.metadata);
      const begun = this.#audit?.begin(call);
      // If the caller has already disconnected, its IP address is unknown. The audit log could not name the caller, so
      // an administrative call from an unknown address is refused.
      if (begun?.operator.caller === '') throw HUNG_UP;
      act = begun;
      answer = await handle(call, entry);
      return answer;
    } catch (error) {
      code =
        call.cancelled || error === HUNG_UP
          ? 'CANCELLED'
          : error instanceof ServiceError
            ? error.code
            : 'INTERNAL_1';
      // Creates a request id for the failed call if the caller sent no valid one. The id is needed now, because the log
      // line about the end of the call must contain it.
      if (!call.cancelled) requestIdOf(call.metadata);
      if (error instanceof RefusedError) entry.tokenId = error.tokenId;
      throw error;
    } finally {
      if (entry.journal.end(entry.began, code, entry.isStream)) logEnd(call, code, entry);
      // Writes the end of an administrative call to the audit log. If a unary call succeeded but its caller hung up,
      // the log contains the status OK. CANCELLED would be wrong, because the call has changed something.
      act?.logEnd(answer, entry.isStream && call.cancelled ? 'CANCELLED' : code, entry.began);
    }
  }

  /** Ends a failed call with an error status. Does nothing if the caller has cancelled the call. */
  #fail(call: Call, error: unknown, end: (error: ServerErrorResponse) => void): void {
    if (call.cancelled || error === HUNG_UP) return;
    sendReplyMetadata(call);
    end(this.#asStatus(error, call));
  }

  #asStatus(error: unknown, call: Call): ServerErrorResponse {
    const { metadata } = call;
    const requestId = requestIdOf(metadata);
    const known =
      error instanceof ServiceError ? error : this.neutral(error, call.getPath(), originOfMetadata(metadata));
    return errorResponse(known, requestId);
  }

  /** Logs an unexpected error. Returns the error that the caller sees instead. */
  neutral(error: unknown, method: string, origin: CallOrigin): ServiceError {
    this.#defect(error, method, origin);
    return new ServiceError(
      'INTERNAL_1',
      'Something went wrong inside the service; the operator finds it in the log.',
    );
  }
}

function logEnd(call: Call, code: CallEnd, entry: Entry): void {
  const caller = entry.caller || peerAddress(call);
  entry.journal.logEnd(entry.began, code, caller, () => ({
    ...originOfMetadata(call.metadata),
    caller,
    ...accountFields(entry),
  }));
}

/** Converts an error to the form that grpc-js expects from a handler. `requestId`: id of the call; empty if unknown. */
export function errorResponse(error: ServiceError, requestId = ''): ServerErrorResponse {
  const { code, details, metadata } = toGrpcStatus(error, requestId);
  return { name: 'ServiceError', code: code ?? status.INTERNAL, details, message: details, metadata };
}
