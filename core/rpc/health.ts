import type { Server, ServerUnaryCall, ServerWritableStream } from '@grpc/grpc-js';
import { AddressCap } from '../../net/address-cap.ts';
import { limitKeyOf } from '../../net/network.ts';
import { grpcHealthV1 } from '../../proto/descriptors.ts';
import type { HealthHandlers } from '../../proto/generated/grpc/health/v1/Health.ts';
import type { HealthCheckResponse } from '../../proto/generated/grpc/health/v1/HealthCheckResponse.ts';
import { ServiceError } from '../../proto/service-error.ts';
import { originOfMetadata } from './call-origin.ts';
import { errorResponse } from './handler.ts';
import { peerAddress } from './peer-address.ts';
import { UnservedCalls } from './unserved-calls.ts';

type HealthCall = ServerUnaryCall<unknown, unknown> | ServerWritableStream<unknown, unknown>;
type WatchCall = Parameters<HealthHandlers['Watch']>[0];

/** Limits of the health service, for the watch streams that are open at the same time. */
export interface HealthLimits {
  /** Maximum number of watch streams of all callers together. */
  watches: number;
  /** Maximum number of watch streams of one IPv4 address or IPv6 /64. */
  watchesPerAddress: number;
}

/**
 * A gRPC client with health checks opens one watch stream on each of its connections. Therefore an address can have as
 * many watch streams as connections (`PublicLimits.connectionsPerAddress`).
 */
const LIMITS: HealthLimits = { watches: 1000, watchesPerAddress: 32 };

/** Options of the health service of a gRPC port. */
export interface HealthOptions {
  /** True if watch streams are also limited for each IP address. False for the internal port and behind a proxy. */
  byAddress?: boolean;
  limits?: HealthLimits;
  /** Returns true if the limit for each IP address applies to this address. By default, loopback has no limit. */
  counts?: (address: string) => boolean;
}

/** An open watch stream of the health service. */
interface Watch {
  /** Sends the status of the service, and ends the stream. */
  end(answer: HealthCheckResponse): void;
  releaseSlot(): void;
}

const UNKNOWN_SERVICE = new ServiceError('GRPC_4', 'There is no such service here; List names them.');

/**
 * The health service grpc.health.v1. If a request contains an empty service name, it means the whole server. The
 * health service never stores a name from a request. If it did, callers without credentials could fill the memory with
 * names.
 */
export class Health {
  readonly #services: readonly string[];
  readonly #watches = new Map<object, Watch>();
  readonly #limits: HealthLimits;
  readonly #perAddress: AddressCap | undefined;
  readonly #tooManyWatches: ServiceError;
  #serving = true;

  /** `services`: full names of the services of the gRPC port. */
  constructor(
    services: readonly string[],
    { byAddress = false, limits = LIMITS, counts }: HealthOptions = {},
  ) {
    this.#services = ['', ...services];
    this.#limits = limits;
    this.#perAddress = byAddress ? new AddressCap(limits.watchesPerAddress, counts) : undefined;
    this.#tooManyWatches = new ServiceError('CORE_1', 'As many streams watch as may; use Check.', {
      retryAfterSeconds: 30,
      facts: { max_streams: String(limits.watches) },
    });
  }

  /** Number of open watch streams of the health service. */
  get watches(): number {
    return this.#watches.size;
  }

  /** Number of addresses with an open watch stream that counts against their limit. */
  get addresses(): number {
    return this.#perAddress?.size ?? 0;
  }

  /**
   * Makes the health service report NOT_SERVING from now on. Sends this status to every watch stream, and ends these
   * streams.
   */
  stopServing(): void {
    this.#serving = false;
    for (const [call, { end }] of this.#watches) {
      end({ status: 'NOT_SERVING' });
      this.#removeWatch(call);
    }
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
        const error = this.#watch(call);
        if (error) call.emit('error', refuse(error, call));
      },
    };
    server.addService(grpcHealthV1.Health.service, handlers);
  }

  /** Starts a watch stream. Returns the error of the call if too many watch streams are open. */
  #watch(call: WatchCall): ServiceError | undefined {
    if (this.#watches.size >= this.#limits.watches) return this.#tooManyWatches;
    const address = peerAddress(call);
    const releaseSlot = this.#perAddress ? this.#perAddress.takeSlot(address) : () => {};
    if (!releaseSlot) return this.#tooManyOf(address);
    const known = this.#knows(call.request.service);
    // Saves memory: deletes the service name that the caller sent in its request. The request stays in memory while the
    // watch stream is open, and the name can be as long as a whole message.
    call.request.service = '';
    call.write(known ? this.#state : { status: 'SERVICE_UNKNOWN' });
    if (!this.#serving) {
      releaseSlot();
      call.end();
      return undefined;
    }
    const end = (answer: HealthCheckResponse): void => {
      if (known) call.write(answer);
      call.end();
    };
    this.#watches.set(call, { end, releaseSlot });
    call.once('cancelled', () => this.#removeWatch(call));
    return undefined;
  }

  /** Does nothing if the watch stream is not open, so that the count of its address is reduced only once. */
  #removeWatch(call: object): void {
    const watch = this.#watches.get(call);
    if (!watch) return;
    this.#watches.delete(call);
    watch.releaseSlot();
  }

  #tooManyOf(address: string): ServiceError {
    const { watchesPerAddress } = this.#limits;
    return new ServiceError(
      'RATE_1',
      `Your address has ${watchesPerAddress} health watches open already; end one, or use Check.`,
      {
        retryAfterSeconds: 30,
        facts: { max_streams: String(watchesPerAddress) },
        quotaSubject: `clientip:${limitKeyOf(address)}`,
      },
    );
  }

  get #state(): HealthCheckResponse {
    return { status: this.#serving ? 'SERVING' : 'NOT_SERVING' };
  }

  #knows(service: string): boolean {
    return this.#services.includes(service);
  }
}
