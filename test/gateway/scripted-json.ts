import {
  type handleServerStreamingCall,
  type handleUnaryCall,
  Metadata,
  type ServerUnaryCall,
  type ServerWritableStream,
  type StatusObject,
} from '@grpc/grpc-js';
import { gsqV1 } from '../../proto/descriptors.ts';
import type { HttpBody } from '../../proto/generated/google/api/HttpBody.ts';
import { type ServiceError, toGrpcStatus } from '../../proto/service-error.ts';

/** A call of a gRPC method that returns JSON, as the fake core (`ScriptedCore`) received it. */
export interface JsonCallSeen {
  method: string;
  request: Record<string, unknown>;
  metadata: Metadata;
  /** True when the gateway has cancelled its call to the fake core. */
  cancelled: boolean;
}

/** The answer of the fake core (`ScriptedCore`) to a call of a gRPC method that returns JSON. */
export interface JsonAnswer {
  json?: string | Buffer;
  /** Initial gRPC metadata of the reply. */
  metadata?: Record<string, string>;
  error?: ServiceError | Partial<StatusObject>;
}

type Stream = ServerWritableStream<Record<string, unknown>, HttpBody>;

/** Simulates the gRPC methods that return JSON, for a fake core with scripted answers (`ScriptedCore`). */
export class ScriptedJson {
  /**
   * Returns the answer of the fake core to a call. If it returns undefined instead, the call waits until a test calls
   * `answerHeld`.
   */
  script: (call: JsonCallSeen) => JsonAnswer | undefined = () => ({ json: '{}' });
  /**
   * The fake core (`ScriptedCore`) calls this function when the gateway opens a stream of events. The default function
   * sends nothing on the stream.
   */
  onEvents: (stream: Stream, call: JsonCallSeen) => void = () => {};
  readonly calls: JsonCallSeen[] = [];
  /** Functions that answer the waiting calls, one for each call for which `script` returned no answer. */
  readonly #held: ((answer: JsonAnswer) => void)[] = [];
  readonly streams: Stream[] = [];
  readonly #changed: () => void;

  /** `changed`: called when a call from the gateway begins or is cancelled, so that a test can wait for this. */
  constructor(changed: () => void) {
    this.#changed = changed;
  }

  /** Returns a handler for each JSON method of a service: each method whose name ends with `Json`. */
  handlersOf(service: 'HistoryService' | 'ServerService' | 'WebhookService') {
    const methods = Object.keys(gsqV1[service].service).filter(name => name.endsWith('Json'));
    return Object.fromEntries(
      methods.map(name => [name, name === 'WatchServersJson' ? this.#events : this.#unary(name)]),
    );
  }

  /** Sends `answer` to all waiting calls. A call waits if the function `script` returned no answer for it. */
  answerHeld(answer: JsonAnswer): void {
    for (const send of this.#held.splice(0)) send(answer);
  }

  #seen(method: string, call: ServerUnaryCall<unknown, HttpBody> | Stream): JsonCallSeen {
    const request = call.request as Record<string, unknown>;
    const seen: JsonCallSeen = { method, request, metadata: call.metadata, cancelled: false };
    this.calls.push(seen);
    call.on('cancelled', () => {
      seen.cancelled = true;
      this.#changed();
    });
    this.#changed();
    return seen;
  }

  #unary(method: string): handleUnaryCall<unknown, HttpBody> {
    return (call, callback) => {
      const send = ({ json = '', error, metadata }: JsonAnswer): void => {
        if (metadata) {
          const initial = new Metadata();
          for (const [key, value] of Object.entries(metadata)) initial.add(key, value);
          call.sendMetadata(initial);
        }
        if (error) callback(error instanceof Error ? toGrpcStatus(error) : error);
        else callback(null, { contentType: 'application/json', data: Buffer.from(json) });
      };
      const answer = this.script(this.#seen(method, call));
      if (answer) send(answer);
      else this.#held.push(send);
    };
  }

  readonly #events: handleServerStreamingCall<Record<string, unknown>, HttpBody> = call => {
    const seen = this.#seen('WatchServersJson', call);
    this.streams.push(call);
    this.onEvents(call, seen);
  };
}

/** Sends an event as one line of JSON on a stream from the fake core. Resolves when the line is written. */
export function sendEvent(stream: Stream, event: string, id: string, data: unknown): Promise<void> {
  const line = `${JSON.stringify({ event, id, data })}\n`;
  return new Promise(resolve => {
    stream.write({ contentType: 'application/x-ndjson', data: Buffer.from(line) }, () => resolve());
  });
}
