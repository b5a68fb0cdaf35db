import { EventEmitter } from 'node:events';
import { Metadata, type ServerUnaryCall } from '@grpc/grpc-js';

type UnaryCall = ServerUnaryCall<object, unknown>;
type Stream = Pick<UnaryCall, 'getPeer' | 'getHost' | 'getAuthContext' | 'getMetricsRecorder'>;

/** What a gateway sent with a call on a JsonStream. */
export interface JsonStreamCallParts {
  metadata: Metadata;
  request: object;
  deadline: Date;
}

/** A call that arrived on a JsonStream, in the form of the gRPC call that the handler of its method expects. */
export class JsonStreamCall extends EventEmitter implements UnaryCall {
  readonly metadata: Metadata;
  readonly request: object;
  cancelled = false;
  /** The initial metadata of the reply, as the handler sent it. */
  initialMetadata = new Metadata();
  readonly #stream: Stream;
  readonly #path: string;
  readonly #deadline: Date;

  /** `path`: path of the called method. */
  constructor(stream: Stream, path: string, { metadata, request, deadline }: JsonStreamCallParts) {
    super();
    this.metadata = metadata;
    this.request = request;
    this.#stream = stream;
    this.#path = path;
    this.#deadline = deadline;
  }

  /** Tells the handler that nobody wants the reply any more. */
  cancel(): void {
    this.cancelled = true;
    this.emit('cancelled', 'cancelled');
  }

  sendMetadata(metadata: Metadata): void {
    this.initialMetadata = metadata;
  }

  getPath(): string {
    return this.#path;
  }

  getDeadline(): Date {
    return this.#deadline;
  }

  getPeer(): string {
    return this.#stream.getPeer();
  }

  getHost(): string {
    return this.#stream.getHost();
  }

  getAuthContext(): ReturnType<UnaryCall['getAuthContext']> {
    return this.#stream.getAuthContext();
  }

  getMetricsRecorder(): ReturnType<UnaryCall['getMetricsRecorder']> {
    return this.#stream.getMetricsRecorder();
  }
}
