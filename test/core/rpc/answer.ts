import { type ServiceError as CallError, type StatusObject, status } from '@grpc/grpc-js';
import { fromGrpcStatus, type ServiceError } from '../../../proto/service-error.ts';
import { hearGrpc } from '../../system/hearing.ts';

/** Resolves to the reply of a unary call. Rejects with the error of the call if the call fails. */
export function unary<T>(start: (done: (error: CallError | null, value?: T) => void) => unknown): Promise<T> {
  return new Promise((resolve, reject) => {
    start((error, value) => {
      if (error) hearGrpc(error);
      if (value === undefined) reject(error);
      else resolve(value);
    });
  });
}

/** How a call ended: the code and the details of the gRPC status, and the ServiceError in the metadata. */
export interface Ending {
  code: number;
  details: string;
  ours: ServiceError | undefined;
}

function ending(error: CallError): Ending {
  hearGrpc(error);
  return { code: error.code, details: error.details, ours: fromGrpcStatus(error) };
}

/** Resolves to the error of a unary call. Rejects if the call succeeds. */
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

/** Collects the received messages of a stream. */
export class Inbox<T> {
  readonly messages: T[] = [];
  /**
   * Resolves when the stream ends. The value is the error that ended the stream, or undefined if there was no error.
   */
  readonly over: Promise<Ending | undefined>;
  /** How the stream ended. Undefined while it is open. */
  #ending: { error: Ending | undefined } | undefined;
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
    this.over.then(error => {
      this.#ending = { error };
      this.#heard?.();
    });
  }

  /**
   * Resolves as soon as the messages received on the stream satisfy the condition `met`. Rejects if the stream ends
   * before.
   */
  async until(met: (messages: T[]) => boolean): Promise<void> {
    while (!met(this.messages)) {
      if (this.#ending) throw new Error(`the stream ended early: ${JSON.stringify(this.#ending)}`);
      await new Promise<void>(resolve => {
        this.#heard = resolve;
      });
    }
  }
}
