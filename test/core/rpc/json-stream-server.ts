import type { TestContext } from 'node:test';
import { type handleUnaryCall, Server, type ServerUnaryCall } from '@grpc/grpc-js';
import { listen } from '../../../core/rpc/grpc-server.ts';
import { Handlers } from '../../../core/rpc/handler.ts';
import { jsonMethods, jsonStream } from '../../../core/rpc/json-stream.ts';
import { JsonStreamCall } from '../../../core/rpc/json-stream-call.ts';
import { readRoutes } from '../../../gateway/http/routes.ts';
import { CoreSet } from '../../../gateway/upstream/core-set.ts';
import { JsonCalls, type JsonReply } from '../../../gateway/upstream/json-calls.ts';
import { JsonClient } from '../../../gateway/upstream/json-client.ts';
import { clients, internalMetadata } from '../../../proto/clients.ts';
import { CoreClients } from '../../../proto/cluster/core-clients.ts';
import { descriptorImage, gsqV1 } from '../../../proto/descriptors.ts';
import type { HttpBody } from '../../../proto/generated/google/api/HttpBody.ts';
import { clusterServiceDefinition } from '../../../proto/streams/render-service.ts';
import { type Endpoint, formatEndpoint } from '../../../runtime/endpoint.ts';
import { until } from '../../system/until.ts';

/** A call of a JSON method, as the handler of the method gets it. */
export type HandledCall = ServerUnaryCall<Record<string, unknown>, HttpBody>;

const SECRET = 'between us';
const LOOPBACK: Endpoint = { host: '127.0.0.1', port: 0 };

/** A core with the unary JSON methods of ServerService and WebhookService, and with JsonStream. */
export class JsonServer {
  /** The calls that have arrived, in the order of arrival. */
  readonly calls: HandledCall[] = [];
  /** Aborted when the core begins to shut down. */
  readonly closing = new AbortController();
  #endpoint = LOOPBACK;
  #server = new Server();
  readonly #answer: (call: HandledCall) => Promise<string> | string;

  /** `answer`: returns the JSON of the answer to a call. */
  constructor(t: TestContext, answer: (call: HandledCall) => Promise<string> | string) {
    this.#answer = answer;
    t.after(() => this.stop());
  }

  /** Starts to listen. A start after `stop` uses the same port again. `services`: their methods are served. */
  async start(services = [gsqV1.ServerService.service, gsqV1.WebhookService.service]): Promise<void> {
    const handlers = new Handlers(
      () => {},
      () => {},
    );
    const handle: handleUnaryCall<Record<string, unknown>, HttpBody> = handlers.unary(async call => {
      this.calls.push(call);
      return { contentType: 'application/json', data: Buffer.from(await this.#answer(call)) };
    });
    this.#server = new Server();
    const served = services.map(definition => {
      const names = Object.keys(definition).filter(name => name.endsWith('Json'));
      return [definition, Object.fromEntries(names.map(name => [name, handle]))] as const;
    });
    for (const [definition, implementation] of served) this.#server.addService(definition, implementation);
    this.#server.addService(clusterServiceDefinition, {
      JsonStream: jsonStream(jsonMethods(served), this.closing.signal, handlers),
    });
    this.#endpoint = await listen(this.#server, 'GSQ_INTERNAL_ADDR', this.#endpoint);
  }

  /** Closes all connections, as if the core had been killed. */
  stop(): void {
    this.#server.forceShutdown();
  }

  /** For each call that has arrived: true if it arrived on a JsonStream, false if it was a gRPC call of its own. */
  get areStreamed(): boolean[] {
    return this.calls.map(call => call instanceof JsonStreamCall);
  }

  /** Resolves when `count` calls have arrived. */
  async arrived(count: number): Promise<void> {
    await until(
      `${count} calls have arrived`,
      () => this.calls.length,
      arrived => arrived === count,
    );
  }

  get address(): string {
    return formatEndpoint(this.#endpoint);
  }
}

/** The calls of a gateway to one core or several. */
export interface GatewayCalls {
  cores: CoreSet;
  /** The client of the first core. */
  client: JsonClient;
  /** Calls the method `rpc`, such as `ServerService.GetStatusJson`. */
  call(
    rpc: string,
    options?: { signal?: AbortSignal; metadata?: Record<string, string> },
  ): Promise<JsonReply>;
  /** Resolves when the JsonStream to each core is open. */
  opened(): Promise<void>;
}

interface GatewayOptions {
  /** Longest time for a core to reply to a call. */
  timeoutMs?: number;
  /** The other cores of the cluster. */
  others?: readonly JsonServer[];
}

/** Creates the calls of a gateway to a core. */
export function gatewayCalls(
  t: TestContext,
  { address }: JsonServer,
  { timeoutMs = 30_000, others = [] }: GatewayOptions = {},
): GatewayCalls {
  const cores = new CoreSet(address);
  const addresses = [address, ...others.map(other => other.address)];
  cores.update(addresses.map(one => ({ address: one, responds: true })));
  // Without a clock that moves, a stream that has ended is not opened again.
  const open = new CoreClients(cores, one => new JsonClient(clients.any(one), SECRET, () => 0));
  t.after(() => open.close());
  const calls = new JsonCalls({ cores, clients: open, timeoutMs });
  const routes = readRoutes(descriptorImage);
  return {
    cores,
    client: open.clientOf(address),
    call(rpc, { signal, metadata = {} } = {}) {
      const route = routes.find(one => one.rpc === `gsq.v1.${rpc}`);
      if (!route) throw new Error(`${rpc} has no route`);
      const sent = internalMetadata(SECRET);
      for (const [key, value] of Object.entries(metadata)) sent.set(key, value);
      const call = {
        method: route.rpcMethod,
        message: new Uint8Array(),
        metadata: sent,
        caller: '127.0.0.1',
      };
      return calls.callCore(call, signal);
    },
    opened: async () => {
      for (const one of addresses)
        await until(
          `the stream to ${one} is open`,
          () => open.clientOf(one).openStream(),
          stream => stream !== undefined,
        );
    },
  };
}
