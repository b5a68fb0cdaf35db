import { setTimeout as pause } from 'node:timers/promises';
import { Metadata } from '@grpc/grpc-js';
import { clients, credentialKeys } from '../../proto/clients.ts';
import { fromGrpcStatus } from '../../proto/service-error.ts';
import { type Credentials, credentialHeaders, postFetch } from '../contract/rest.ts';
import { hearGrpc } from '../system/hearing.ts';

/** The server that all requests of the test fetch. No prober probes it. */
const SERVER = { gameId: 'csgo', server: '127.0.0.1:1' };
const BETWEEN_CALLS_MS = 5;

/** A way to fetch a server with a token: from a gateway (REST), or directly from a core (its public gRPC port). */
export interface Route {
  /** Fetches one server. Resolves to `admitted`, or to the error code of the refusal. */
  fetch(token: Credentials): Promise<string>;
}

/** Returns a `Route` (a way to send fetches) that uses the REST port of a gateway. `http`: address of this port. */
export function throughGateway(http: string): Route {
  const servers = [{ game_id: SERVER.gameId, servers: [SERVER.server] }];
  return {
    async fetch(token) {
      const { status, json } = await postFetch(http, servers, credentialHeaders(token));
      return status === 200 ? 'admitted' : String(json.error);
    },
  };
}

/** Returns the metadata of a gRPC call with a token. */
export function tokenMetadata({ token, tier, email }: Credentials): Metadata {
  const metadata = new Metadata();
  metadata.set(credentialKeys.token, token);
  metadata.set(credentialKeys.tier, tier);
  metadata.set(credentialKeys.email, email);
  return metadata;
}

/** A `Route` that fetches directly from a core. Its creator must close it. */
export class DirectRoute implements Route {
  readonly #client: ReturnType<typeof clients.server>;

  /** `grpc`: address of the public gRPC port of the core. */
  constructor(grpc: string) {
    this.#client = clients.server(grpc);
  }

  fetch(token: Credentials): Promise<string> {
    const request = { servers: [{ gameId: SERVER.gameId, servers: [SERVER.server] }] };
    return new Promise(resolve => {
      this.#client.fetchServers(request, tokenMetadata(token), error => {
        if (error) hearGrpc(error);
        resolve(error ? (fromGrpcStatus(error)?.code ?? String(error)) : 'admitted');
      });
    });
  }

  close(): void {
    this.#client.close();
  }
}

/**
 * Callers that send requests with the same token through several gateways or cores at the same time. Each caller waits
 * for an answer before its next request.
 */
export class RequestLoad {
  /** Number of requests that gsq has admitted so far. */
  admitted = 0;
  /** Number of requests that gsq has refused so far, keyed by the error code. */
  readonly refused = new Map<string, number>();
  readonly #startedAt = performance.now();
  readonly #done: Promise<unknown>;
  #isStopped = false;

  /**
   * Starts the callers. `callers`: number of callers that use each of `routes`. A caller ends when its request is
   * refused with the code `lastCode`.
   */
  constructor(routes: readonly Route[], token: Credentials, callers: number, lastCode = '') {
    const all = routes.flatMap(route => Array.from({ length: callers }, () => route));
    this.#done = Promise.all(all.map(route => this.#call(route, token, lastCode)));
  }

  /** Resolves when all callers of this test load have ended. */
  async whenDone(): Promise<void> {
    await this.#done;
  }

  /** Ends all callers. Resolves to the time from their first request to their last answer, in seconds. */
  async stop(): Promise<number> {
    this.#isStopped = true;
    await this.#done;
    return (performance.now() - this.#startedAt) / 1000;
  }

  async #call(route: Route, token: Credentials, lastCode: string): Promise<void> {
    while (!this.#isStopped) {
      const result = await route.fetch(token);
      if (result === 'admitted') this.admitted++;
      else this.refused.set(result, (this.refused.get(result) ?? 0) + 1);
      if (result === lastCode) return;
      await pause(BETWEEN_CALLS_MS);
    }
  }
}
