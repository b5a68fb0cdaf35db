import { type ServiceError as CallError, type StatusObject, status } from '@grpc/grpc-js';
import { fromGrpcStatus, type ServiceError } from '../../../proto/service-error.ts';
import { hearGrpc } from '../../system/hearing.ts';

/** What a unary call answers; rejects with the error of the call. */
export function unary<T>(start: (done: (error: CallError | null, value?: T) => void) => unknown): Promise<T> {
  return new Promise((resolve, reject) => {
    start((error, value) => {
      if (error) hearGrpc(error);
      if (value === undefined) reject(error);
      else resolve(value);
    });
  });
}

/** How a call ended: the gRPC status, and the error of ours within it. */
export interface Ending {
  code: number;
  details: string;
  ours: ServiceError | undefined;
}

function ending(error: CallError): Ending {
  hearGrpc(error);
  return { code: error.code, details: error.details, ours: fromGrpcStatus(error) };
}

/** What a unary call fails with; rejects where it does not fail. */
export async function failure(start: (done: (error: CallError | null) => void) => unknown): Promise<Ending> {
  return new Promise((resolve, reject) => {
    start(error => {
      if (error) resolve(ending(error));
      else reject(new Error('the call did not fail'));
    });
  });
}

interface Incoming<T> {
  on(event: 'data', listener: (message: T) => void): unknown;
  on(event: 'error', listener: (error: CallError) => void): unknown;
  on(event: 'status', listener: (end: StatusObject) => void): unknown;
}

/** The messages of a stream as they come. */
export class Inbox<T> {
  readonly messages: T[] = [];
  /** Resolves when the stream is over: undefined where it ended well. */
  readonly over: Promise<Ending | undefined>;
  #heard: (() => void) | undefined;

  constructor(stream: Incoming<T>) {
    stream.on('data', message => {
      this.messages.push(message);
      this.#heard?.();
    });
    this.over = new Promise(resolve => {
      stream.on('error', error => resolve(ending(error)));
      stream.on('status', end => {
        if (end.code === status.OK) resolve(undefined);
      });
    });
  }

  /** Resolves as soon as `met` holds of what has come. */
  async until(met: (messages: T[]) => boolean): Promise<void> {
    while (!met(this.messages)) {
      await new Promise<void>(resolve => {
        this.#heard = resolve;
      });
    }
  }
}
