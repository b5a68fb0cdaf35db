import type { Question } from '../gateway/ask.ts';
import { type HttpAnswer, send, startEnvoy, startGrpcGateway, type Transcoder } from './transcoder.ts';
import type { ServerName } from './transcoder-requests.ts';

/**
 * gsq's gateway, and two transcoders (Envoy and grpc-gateway convert REST requests to gRPC). All three call the same
 * core.
 */
export class ComparedServers {
  readonly #gateway: string;
  readonly #envoy: Transcoder;
  readonly #grpcGateway: Transcoder;

  private constructor(gateway: string, envoy: Transcoder, grpcGateway: Transcoder) {
    this.#gateway = gateway;
    this.#envoy = envoy;
    this.#grpcGateway = grpcGateway;
  }

  /**
   * Starts Envoy and grpc-gateway. `http`: address of gsq's gateway. `grpc`: address of the public port of the core.
   */
  static async start({ http, grpc }: { http: string; grpc: string }): Promise<ComparedServers> {
    const envoy = await startEnvoy(grpc);
    try {
      return new ComparedServers(http, envoy, await startGrpcGateway(grpc));
    } catch (error) {
      await envoy.child.stop('SIGKILL');
      throw error;
    }
  }

  /** Stops the two transcoders, Envoy and grpc-gateway. */
  async stop(): Promise<void> {
    for (const { child } of [this.#envoy, this.#grpcGateway]) await child.stop('SIGKILL');
  }

  /** Returns the address of the HTTP port of a server, `host:port`. */
  addressOf(name: ServerName): string {
    if (name === 'gateway') return this.#gateway;
    return (name === 'envoy' ? this.#envoy : this.#grpcGateway).http;
  }

  /** Sends the same request to gsq's gateway, to Envoy and to grpc-gateway. */
  async ask(question: Question): Promise<Record<ServerName, HttpAnswer>> {
    const from = (name: ServerName) => send(this.addressOf(name), question);
    return {
      gateway: await from('gateway'),
      envoy: await from('envoy'),
      'grpc-gateway': await from('grpc-gateway'),
    };
  }
}

/** Returns the HTTP status of an answer, followed by the error code if the answer has one, for example `401 AUTH_1`. */
export function statusOf(answer: HttpAnswer): string {
  const { error, details } = answer.status < 400 ? {} : JSON.parse(answer.body);
  const code = error ?? (details?.length > 0 ? rpcErrorIn(answer).error : undefined);
  return code === undefined ? String(answer.status) : `${answer.status} ${code}`;
}

/** Converts an error of Envoy or grpc-gateway (a google.rpc.Status as JSON) to the form of gsq's REST errors. */
export function rpcErrorIn({ body }: HttpAnswer): { error: string; message: string; details: unknown } {
  const { message, details } = JSON.parse(body);
  const find = (type: string) =>
    details.find(
      (detail: { '@type': string }) => detail['@type'] === `type.googleapis.com/google.rpc.${type}`,
    );
  const violations = find('BadRequest')?.fieldViolations;
  return {
    error: find('ErrorInfo').reason,
    message,
    details: violations?.map(({ field, description }: { field: string; description: string }) => ({
      path: field,
      message: description,
    })),
  };
}
