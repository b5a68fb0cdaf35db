import { setImmediate as nextTurn } from 'node:timers/promises';
import {
  type handleUnaryCall,
  Metadata,
  type MethodDefinition,
  type ServerDuplexStream,
  type ServerErrorResponse,
  type ServiceDefinition,
  type StatusObject,
  status,
  type UntypedServiceImplementation,
} from '@grpc/grpc-js';
import { googleRpc } from '../../proto/descriptors.ts';
import type { JsonCall, JsonStreamRequest } from '../../proto/generated/codec/json.ts';
import type { HttpBody } from '../../proto/generated/google/api/HttpBody.ts';
import { DETAILS_KEY } from '../../proto/service-error.ts';
import {
  encodeJsonReply,
  encodeNotBegun,
  metadataOf,
  type OutgoingJsonReply,
} from '../../proto/streams/json-stream.ts';
import type { Handlers } from './handler.ts';
import { JsonStreamCall } from './json-stream-call.ts';
import { streamEnd } from './stream-end.ts';

/** Maximum number of calls in progress on one JsonStream. Gateways make further calls as gRPC calls of their own. */
const MAX_IN_FLIGHT = 1024;

type Stream = ServerDuplexStream<JsonStreamRequest, Buffer>;

/** A unary method that returns google.api.HttpBody. */
interface JsonMethod {
  deserialize(request: Buffer): object;
  handle: handleUnaryCall<object, HttpBody>;
}

/** The unary methods of several services that return google.api.HttpBody, keyed by the path of the method. */
export type JsonMethods = ReadonlyMap<string, JsonMethod>;

/** Returns the unary methods of the given services that return google.api.HttpBody. */
export function jsonMethods(
  services: readonly (readonly [ServiceDefinition, UntypedServiceImplementation])[],
): JsonMethods {
  const methods = new Map<string, JsonMethod>();
  for (const [definition, implementation] of services) {
    for (const [name, method] of Object.entries(definition)) {
      const { path, requestDeserialize: deserialize } = method as MethodDefinition<object, HttpBody>;
      if (!returnsJson(method) || method.requestStream || method.responseStream) continue;
      methods.set(path, { deserialize, handle: implementation[name] as JsonMethod['handle'] });
    }
  }
  return methods;
}

/** The proto-loader option of a method definition that names the message type of its responses. */
type Loaded = MethodDefinition<object, object> & { responseType?: { type: object } };

function returnsJson(method: Loaded): boolean {
  const type = method.responseType?.type;
  return type !== undefined && 'name' in type && type.name === 'HttpBody';
}

/**
 * Creates the handler of ClusterService.JsonStream. It passes each call of the stream to the handler of the called
 * method, which cannot tell such a call from a gRPC call. `closing`: aborted when the core begins to shut down.
 */
export function jsonStream(methods: JsonMethods, closing: AbortSignal, handlers: Handlers) {
  return handlers.bidi(async (stream: Stream) => {
    const calls = new JsonStreamCalls(stream, methods, closing);
    // A gateway sends calls on a stream only after it has received the stream's metadata. A core without this method
    // sends none.
    stream.sendMetadata(NO_METADATA);
    const malformed = new Promise<never>((_resolve, reject) => {
      stream.on('data', (message: JsonStreamRequest) => {
        // Handles the message in the next turn of the event loop. Fetches that have arrived are answered first.
        nextTurn()
          .then(() => {
            for (const id of message.cancelled) calls.cancel(id);
            for (const call of message.calls) calls.begin(call);
          })
          .catch(reject);
      });
    });
    try {
      const end = await Promise.race([streamEnd(stream, closing), malformed]);
      if (end !== 'lost') await calls.finish();
    } finally {
      calls.cancelAll();
    }
  });
}

const NO_BYTES = Buffer.alloc(0);
const NO_METADATA = new Metadata();

/** Returns the encoded google.rpc.Status of a failed call. `Handlers` adds it to the metadata of every error. */
function statusIn({ metadata }: ServerErrorResponse | Partial<StatusObject>): Buffer {
  const [status] = metadata?.get(DETAILS_KEY) ?? [];
  return status instanceof Buffer ? status : NO_BYTES;
}

function bytesOf(answer: HttpBody | null | undefined): Uint8Array {
  const data = answer?.data;
  return data instanceof Uint8Array ? data : NO_BYTES;
}

/** The calls in progress on one JsonStream. */
class JsonStreamCalls {
  readonly #stream: Stream;
  readonly #methods: JsonMethods;
  readonly #closing: AbortSignal;
  readonly #open = new Map<number, JsonStreamCall>();
  #onIdle = (): void => {};

  constructor(stream: Stream, methods: JsonMethods, closing: AbortSignal) {
    this.#stream = stream;
    this.#methods = methods;
    this.#closing = closing;
  }

  begin({ id, path, request, metadata, timeoutMs }: JsonCall): void {
    // A call can arrive together with the end of its connection. Nobody would get the reply.
    if (this.#stream.destroyed) return;
    if (this.#closing.aborted || this.#open.size >= MAX_IN_FLIGHT) {
      this.#send(encodeNotBegun(id));
      return;
    }
    const method = this.#methods.get(path);
    if (!method) {
      const unknown = { code: status.UNIMPLEMENTED, message: `JsonStream has no method ${path}` };
      this.#reply({ id, metadata: NO_METADATA, body: NO_BYTES, error: googleRpc.Status.serialize(unknown) });
      return;
    }
    const call = new JsonStreamCall(this.#stream, path, {
      metadata: metadataOf(metadata),
      request: method.deserialize(request),
      deadline: new Date(Date.now() + timeoutMs),
    });
    this.#open.set(id, call);
    method.handle(call, (failure, answer) => {
      if (!this.#end(id, call)) return;
      this.#reply({
        id,
        metadata: call.initialMetadata,
        body: bytesOf(answer),
        error: failure ? statusIn(failure) : undefined,
      });
    });
  }

  /** Cancels a call. Does nothing if it is already answered. */
  cancel(id: number): void {
    const call = this.#open.get(id);
    if (call && this.#end(id, call)) call.cancel();
  }

  cancelAll(): void {
    for (const id of [...this.#open.keys()]) this.cancel(id);
  }

  /** Resolves when every call is answered. */
  async finish(): Promise<void> {
    if (this.#open.size === 0) return;
    await new Promise<void>(resolve => {
      this.#onIdle = resolve;
    });
  }

  /** Removes a call. Returns false if it was removed before. */
  #end(id: number, call: JsonStreamCall): boolean {
    if (this.#open.get(id) !== call) return false;
    this.#open.delete(id);
    // The stream must not end before the reply to its last call is written.
    if (this.#open.size === 0) queueMicrotask(() => this.#onIdle());
    return true;
  }

  #reply(reply: OutgoingJsonReply): void {
    this.#send(encodeJsonReply(reply));
  }

  /** Sends a message. If the peer does not read it, the stream reads no calls until the peer reads again. */
  #send(message: Buffer): void {
    const stream = this.#stream;
    if (stream.destroyed || stream.writableEnded) return;
    if (stream.write(message) || stream.isPaused()) return;
    stream.pause();
    stream.once('drain', () => stream.resume());
  }
}
