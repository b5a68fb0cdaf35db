import type { Server, ServerUnaryCall, ServerWritableStream } from '@grpc/grpc-js';
import { grpcHealthV1 } from '../../proto/descriptors.ts';
import type { HealthHandlers } from '../../proto/generated/grpc/health/v1/Health.ts';
import type { HealthCheckResponse } from '../../proto/generated/grpc/health/v1/HealthCheckResponse.ts';
import { ServiceError } from '../../proto/service-error.ts';
import { originOfMetadata } from './call-origin.ts';
import { errorResponse } from './handler.ts';
import { peerAddress } from './peer-address.ts';
import { UnservedCalls } from './unserved-calls.ts';

type HealthCall = ServerUnaryCall<unknown, unknown> | ServerWritableStream<unknown, unknown>;

/** Maximum number of watch streams of the health service that are open at the same time. */
const MAX_WATCHES = 1000;

const UNKNOWN_SERVICE = new ServiceError('GRPC_4', 'There is no such service here; List names them.');

/**
 * The health service grpc.health.v1. If a request contains an empty service name, it means the whole server. The
 * health service never stores a name from a request. If it did, callers without credentials could fill the memory with
 * names.
 */
export class Health {
  readonly #services: readonly string[];
  readonly #watches = new Map<object, (answer: HealthCheckResponse) => void>();
  readonly #maxWatches: number;
  readonly #tooManyWatches: ServiceError;
  #serving = true;

  constructor(services: readonly string[], maxWatches = MAX_WATCHES) {
    this.#services = ['', ...services];
    this.#maxWatches = maxWatches;
    this.#tooManyWatches = new ServiceError('CORE_1', 'As many streams watch as may; use Check.', {
      retryAfterSeconds: 30,
      facts: { max_streams: String(maxWatches) },
    });
  }

  /** Number of open watch streams of the health service. */
  get watches(): number {
    return this.#watches.size;
  }

  /**
   * Makes the health service report NOT_SERVING from now on. Sends this status to every watch stream, and ends these
   * streams.
   */
  stopServing(): void {
    this.#serving = false;
    for (const tell of this.#watches.values()) tell({ status: 'NOT_SERVING' });
    this.#watches.clear();
  }

  /** Adds the health service to a gRPC server. `unserved` logs the calls that the health service refuses. */
  addTo(server: Server, unserved = new UnservedCalls()): void {
    const refuse = (error: ServiceError, call: HealthCall) => {
      const origin = originOfMetadata(call.metadata);
      const method = call.getPath().slice(call.getPath().lastIndexOf('/') + 1);
      unserved.logRefusal(error.code, { caller: peerAddress(call), method, origin, ms: 0 });
      return errorResponse(error, origin.request_id);
    };
    const handlers: HealthHandlers = {
      Check: (call, answer) => {
        if (this.#knows(call.request.service)) answer(null, this.#state);
        else answer(refuse(UNKNOWN_SERVICE, call));
      },
      List: (_call, answer) => {
        answer(null, { statuses: Object.fromEntries(this.#services.map(name => [name, this.#state])) });
      },
      Watch: call => {
        if (this.#watches.size >= this.#maxWatches) {
          call.emit('error', refuse(this.#tooManyWatches, call));
          return;
        }
        const known = this.#knows(call.request.service);
        // Saves memory: deletes the service name that the caller sent in its request. The request stays in memory while
        // the watch stream is open, and the name can be as long as a whole message.
        call.request.service = '';
        call.write(known ? this.#state : { status: 'SERVICE_UNKNOWN' });
        if (!this.#serving) {
          call.end();
          return;
        }
        this.#watches.set(call, answer => {
          if (known) call.write(answer);
          call.end();
        });
        call.once('cancelled', () => this.#watches.delete(call));
      },
    };
    server.addService(grpcHealthV1.Health.service, handlers);
  }

  get #state(): HealthCheckResponse {
    return { status: this.#serving ? 'SERVING' : 'NOT_SERVING' };
  }

  #knows(service: string): boolean {
    return this.#services.includes(service);
  }
}
