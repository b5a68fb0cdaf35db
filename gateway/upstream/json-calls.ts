import { type DescMethod, fromBinary } from '@bufbuild/protobuf';
import {
  type ClientReadableStream,
  type ServiceError as GrpcError,
  InterceptingCall,
  type Interceptor,
  Metadata,
  status,
} from '@grpc/grpc-js';
import { callerKeys, credentialKeys, isRepeatable } from '../../proto/clients.ts';
import type { CoreClients } from '../../proto/cluster/core-clients.ts';
import type { Status, JsonReply as StreamReply } from '../../proto/generated/codec/json.ts';
import { fromGrpcStatus, fromRpcStatus, ServiceError } from '../../proto/service-error.ts';
import { metadataOf } from '../../proto/streams/json-stream.ts';
import { type Attempt, callCores } from './call-cores.ts';
import { CallerCalls } from './caller-calls.ts';
import { coreAway, coreSlow, overloaded } from './core-errors.ts';
import type { CoreSet } from './core-set.ts';
import type { JsonClient } from './json-client.ts';
import type { NoReply } from './json-stream.ts';
import { placementKey } from './rendezvous.ts';

/** The reply of the core to a call whose method returns google.api.HttpBody. */
export interface JsonReply {
  /** The JSON of the reply, in UTF-8. Compressed with gzip if `metadata` contains `ANSWER_ENCODING_KEY`. */
  body: Buffer;
  /** Initial metadata of the core's reply. */
  metadata: Metadata;
}

/** Error of a call that the core has refused or not answered. Contains the initial metadata that the core has sent. */
export class CallFailed extends Error {
  override name = 'CallFailed';
  readonly error: ServiceError;
  readonly metadata: Metadata;

  constructor(error: ServiceError, metadata: Metadata) {
    super(error.message);
    this.error = error;
    this.metadata = metadata;
  }
}

/** Options of `JsonCalls`, which calls methods of the core that return google.api.HttpBody. */
export interface JsonCallsOptions {
  /** The cores that the gateway can call. */
  cores: CoreSet;
  /** The gRPC clients for the internal ports of the cores. */
  clients: CoreClients<JsonClient>;
  /** Longest time for the core to reply to a call, in milliseconds. */
  timeoutMs: number;
  maxInFlight?: number;
}

/** A call to the core: the method, the encoded request message, the metadata, and the address of the caller. */
export interface JsonCall {
  method: DescMethod;
  message: Uint8Array;
  metadata: Metadata;
  caller: string;
}

// When this many calls to the core are in progress, a new call is refused if its caller already has a fair share of
// them. Calls of other callers are still accepted.
const MAX_IN_FLIGHT = 1000;
const identity = (message: Buffer): Buffer => message;

/** Calls methods of the core that return google.api.HttpBody. */
export class JsonCalls {
  readonly #cores: CoreSet;
  readonly #clients: CoreClients<JsonClient>;
  readonly #timeoutMs: number;
  readonly #maxInFlight: number;
  readonly #callers = new CallerCalls();
  #inFlight = 0;

  constructor({ cores, clients, timeoutMs, maxInFlight = MAX_IN_FLIGHT }: JsonCallsOptions) {
    this.#cores = cores;
    this.#clients = clients;
    this.#timeoutMs = timeoutMs;
    this.#maxInFlight = maxInFlight;
  }

  /**
   * Calls a unary method. Rejects with CallFailed if the core refuses the call or does not answer. Rejects with
   * `overloaded` if too many calls are in progress. Cancels the call when `signal` is aborted.
   */
  callCore(call: JsonCall, signal?: AbortSignal): Promise<JsonReply> {
    const { caller } = call;
    if (this.#inFlight >= this.#maxInFlight && this.#callers.hasFairShare(caller, this.#maxInFlight))
      return Promise.reject(overloaded);
    this.#inFlight++;
    this.#callers.addCall(caller);
    return this.#send(call, signal).finally(() => {
      this.#inFlight--;
      this.#callers.removeCall(caller);
    });
  }

  #send(call: JsonCall, signal?: AbortSignal): Promise<JsonReply> {
    const deadline = Date.now() + this.#timeoutMs;
    const key = this.#keyOf(call);
    const attempt = (one: Attempt): Promise<JsonReply> => this.#attempt(call, one, deadline, signal);
    const { parent, name } = call.method;
    if (isRepeatable(parent.typeName, name)) return callCores(this.#cores, key, attempt, isUnreachable);
    return attempt({ address: this.#cores.pickCore(key), isRepeated: false, lost: undefined });
  }

  async #attempt(
    call: JsonCall,
    attempt: Attempt,
    deadline: number,
    signal: AbortSignal | undefined,
  ): Promise<JsonReply> {
    const client = this.#clients.clientOf(attempt.address);
    const stream = client.openStream();
    if (!stream) return this.#callAlone(client, call, attempt, deadline, signal);
    const { method, message, metadata } = call;
    const reply = await stream.call(
      {
        path: pathOf(method),
        request: Buffer.from(message.buffer, message.byteOffset, message.byteLength),
        metadata: attempt.isRepeated ? asRepeated(metadata) : metadata,
        timeoutMs: Math.max(0, deadline - Date.now()),
      },
      [signal, attempt.lost],
    );
    const canRepeat = isRepeatable(method.parent.typeName, method.name);
    if (canRepeat && (reply === 'lost' || isUnavailable(reply)))
      return this.#callAlone(client, call, { ...attempt, isRepeated: true }, deadline, signal);
    if (reply === 'not begun') return this.#callAlone(client, call, attempt, deadline, signal);
    if (typeof reply === 'string') throw this.#noReply(reply, client);
    const initial = metadataOf(reply.metadata);
    if (reply.error) throw new CallFailed(refusal(reply.error), initial);
    return { body: reply.body, metadata: initial };
  }

  /** Calls a method of the core with a gRPC call of its own. */
  #callAlone(
    client: JsonClient,
    { method, message, metadata }: JsonCall,
    { isRepeated, lost }: Attempt,
    deadline: number,
    signal: AbortSignal | undefined,
  ): Promise<JsonReply> {
    return new Promise((resolve, reject) => {
      let initial: Metadata = new Metadata();
      const call = client.client.makeUnaryRequest(
        pathOf(method),
        identity,
        identity,
        Buffer.from(message),
        isRepeated ? asRepeated(metadata) : metadata,
        { deadline },
        (error, reply) => {
          if (error) reject(new CallFailed(this.#translate(error, client.isReady), initial));
          else resolve({ body: jsonIn(method, reply), metadata: initial });
        },
      );
      call.on('metadata', (received: Metadata) => {
        initial = received;
      });
      const cancel = (): void => call.cancel();
      signal?.addEventListener('abort', cancel, { once: true });
      lost?.addEventListener('abort', cancel, { once: true });
    });
  }

  /** Returns the error of a call to which the core has not replied. */
  #noReply(reason: NoReply, { isReady }: JsonClient): CallFailed {
    const error = reason === 'timeout' && isReady ? coreSlow() : coreAway();
    return new CallFailed(error, new Metadata());
  }

  /**
   * Returns the key by which `CoreSet` chooses the core for a call. If there is only one core, the key does not matter.
   */
  #keyOf({ metadata, caller }: JsonCall): string {
    if (this.#cores.isSingle) return '';
    return placementKey(metadata.get(credentialKeys.token).join(), caller);
  }

  /**
   * Opens a server-streaming call. Delivers each message when the promise of `ready` resolves, so that a slow reader
   * makes the core wait (backpressure). `jsonIn` decodes the messages.
   */
  openStream(call: JsonCall, ready: () => Promise<void>): ClientReadableStream<Buffer> {
    const { method, message, metadata } = call;
    const address = this.#cores.pickCore(this.#keyOf(call));
    const stream = this.#clients
      .clientOf(address)
      .client.makeServerStreamRequest(pathOf(method), identity, identity, Buffer.from(message), metadata, {
        interceptors: [holdMessages(ready)],
      });
    // Ends the stream if its core stops responding while another core responds. The gateway then opens a new stream
    // from the other core.
    const unwatch = this.#cores.watchLoss(address, () => stream.cancel());
    stream.on('status', unwatch);
    return stream;
  }

  /**
   * Returns the error that the caller gets for a failed call. If the core sent no error of its own, the error is
   * ROUTE_1 (the core does not know the method), CORE_2 (the core is too slow) or CORE_1 (the core is unreachable).
   */
  translateError(error: Failure): ServiceError {
    return this.#translate(
      error,
      [...this.#clients.open].some(({ isReady }) => isReady),
    );
  }

  #translate(error: Failure, isConnected: boolean): ServiceError {
    const known = fromGrpcStatus(error);
    const shown = known && visible(known);
    if (shown) return shown;
    if (error.code === status.UNIMPLEMENTED) return coreTooOld();
    const translated = error.code === status.DEADLINE_EXCEEDED && isConnected ? coreSlow() : coreAway();
    translated.cause = error;
    return translated;
  }
}

type Failure = Pick<GrpcError, 'code' | 'details' | 'metadata'>;

/** Returns the error that the caller gets if the reply on a JsonStream contains an error. */
function refusal(error: Status): ServiceError {
  if (error.code === status.UNIMPLEMENTED) return coreTooOld();
  return visible(fromRpcStatus(error)) ?? coreAway();
}

/** True if grpc-js would repeat a gRPC call with this reply: an error with the code UNAVAILABLE, and no metadata. */
function isUnavailable(reply: StreamReply | NoReply): boolean {
  return typeof reply !== 'string' && reply.error?.code === status.UNAVAILABLE && reply.metadata.length === 0;
}

function coreTooOld(): ServiceError {
  return new ServiceError('ROUTE_1', 'The core of this service is too old to answer requests for this path.');
}

/**
 * Returns an error of the core if the caller may see it. AUTH_5 means that the internal secret of the gateway is wrong.
 * The caller cannot repair this, and therefore gets CORE_1 instead.
 */
function visible(error: ServiceError): ServiceError | undefined {
  return error.code === 'AUTH_5' ? undefined : error;
}

/** True if a call failed because its core cannot be reached, and not because the core sent an error. */
function isUnreachable(error: unknown): boolean {
  const cause = error instanceof CallFailed ? error.error.cause : undefined;
  return cause instanceof Error && Reflect.get(cause, 'code') === status.UNAVAILABLE;
}

/**
 * Copies the metadata of a call, and adds a key that marks the call as repeated: another core has perhaps already
 * counted it against the quota of the caller.
 */
function asRepeated(metadata: Metadata): Metadata {
  const copy = metadata.clone();
  copy.set(callerKeys.repeated, '1');
  return copy;
}

/**
 * Returns a gRPC interceptor that delays each message until the promise of `ready` resolves. Pausing the stream would
 * not be enough: grpc-js still reads sixteen messages of a paused stream, which can be a megabyte.
 */
function holdMessages(ready: () => Promise<void>): Interceptor {
  return (options, nextCall) =>
    new InterceptingCall(nextCall(options), {
      start: (metadata, _listener, next) =>
        next(metadata, {
          onReceiveMetadata: (received, deliver) => deliver(received),
          onReceiveMessage: (message, deliver) => void ready().then(() => deliver(message)),
          onReceiveStatus: (received, deliver) => deliver(received),
        }),
    });
}

/** Returns the JSON that an encoded google.api.HttpBody contains. */
export function jsonIn({ output }: DescMethod, reply: Buffer | undefined): Buffer {
  const { data } = fromBinary(output, reply ?? Buffer.alloc(0)) as unknown as { data: Uint8Array };
  return Buffer.from(data.buffer, data.byteOffset, data.byteLength);
}

function pathOf({ parent, name }: DescMethod): string {
  return `/${parent.typeName}/${name}`;
}
