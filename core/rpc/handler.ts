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
import { ServiceError, toGrpcStatus } from '../../proto/service-error.ts';

interface Call {
  metadata: Metadata;
  cancelled: boolean;
  getPath(): string;
}

/** Told of every error that is not meant for the caller. */
export type DefectLog = (error: unknown, method: string, requestId?: string) => void;

/** Decides whether a call may go on; throws ServiceError where not. */
export type CallGuard = (metadata: Metadata) => void;

/**
 * Makes gRPC handlers of plain async functions. Nothing else registers handlers, because grpc-js does not catch a
 * handler's rejected promise: here it becomes the status of the call, and only a ServiceError shows its message.
 */
export class Handlers {
  readonly #defect: DefectLog;
  readonly #guard: CallGuard;

  constructor(guard: CallGuard, defect: DefectLog) {
    this.#guard = guard;
    this.#defect = defect;
  }

  unary<In, Out>(handle: (call: ServerUnaryCall<In, Out>) => Promise<Out> | Out): handleUnaryCall<In, Out> {
    return (call, callback) => {
      this.#run(call, handle).then(
        answer => callback(null, answer),
        error => this.#fail(call, error, callback),
      );
    };
  }

  serverStream<In, Out>(
    handle: (call: ServerWritableStream<In, Out>) => Promise<void>,
  ): handleServerStreamingCall<In, Out> {
    return call => this.#stream(call, () => handle(call));
  }

  bidi<In, Out>(
    handle: (call: ServerDuplexStream<In, Out>) => Promise<void>,
  ): handleBidiStreamingCall<In, Out> {
    return call => this.#stream(call, () => handle(call));
  }

  /** A stream ends when its handler does. */
  #stream(call: Call & Writable, handle: () => Promise<void>): void {
    this.#run(call, handle).then(
      () => call.end(),
      error => this.#fail(call, error, status => call.emit('error', status)),
    );
  }

  async #run<C extends Call, Out>(call: C, handle: (call: C) => Promise<Out> | Out): Promise<Out> {
    this.#guard(call.metadata);
    return handle(call);
  }

  /** A caller that hung up gets no status, and its broken stream is no defect. */
  #fail(call: Call, error: unknown, end: (error: ServerErrorResponse) => void): void {
    if (!call.cancelled) end(this.#asStatus(error, call.getPath()));
  }

  #asStatus(error: unknown, method: string): ServerErrorResponse {
    const known = error instanceof ServiceError ? error : this.neutral(error, method);
    return { name: 'ServiceError', ...statusOf(known) };
  }

  /** Logs a defect and gives the error a caller may see in its place. */
  neutral(error: unknown, method: string, requestId?: string): ServiceError {
    this.#defect(error, method, requestId);
    return new ServiceError(
      'INTERNAL_1',
      'Something went wrong inside the service; the operator finds it in the log.',
    );
  }
}

function statusOf(error: ServiceError): Omit<ServerErrorResponse, 'name'> {
  const { code, details, metadata } = toGrpcStatus(error);
  return { code: code ?? status.INTERNAL, details, message: details, metadata };
}
