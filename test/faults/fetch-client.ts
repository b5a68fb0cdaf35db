import { Metadata } from '@grpc/grpc-js';
import { clients, credentialKeys } from '../../proto/clients.ts';
import type { FetchServersResponse__Output } from '../../proto/generated/gsq/v1/FetchServersResponse.ts';
import { unary } from '../core/rpc/answer.ts';
import { bootstrap } from '../system/stack-settings.ts';

/** Deadline for the answer to a fetch, in milliseconds. */
export const DEADLINE_MS = 20_000;

/** Result of a fetch. Servers that are neither in `inserted` nor in `refused` were already tracked. */
export interface FetchOutcome {
  /** Addresses of the servers that the fetch has inserted. */
  readonly inserted: ReadonlySet<string>;
  /** Reasons why the fetch did not insert servers, keyed by the addresses of the servers. */
  readonly refused: ReadonlyMap<string, string>;
}

/** A client that fetches servers of one game from gsq, over gRPC or REST. */
export interface FetchClient {
  /**
   * Fetches servers by their addresses. Rejects with an Error that has a property `code` if gsq sends no answer or an
   * error.
   */
  fetch(servers: readonly string[]): Promise<FetchOutcome>;
  close(): void;
}

const metadata = new Metadata();
metadata.set(credentialKeys.token, bootstrap.token);
metadata.set(credentialKeys.tier, bootstrap.tier);
metadata.set(credentialKeys.email, bootstrap.email);

/** Fetches servers from the public gRPC port of a core. */
export class GrpcFetchClient implements FetchClient {
  readonly #client: ReturnType<typeof clients.server>;
  readonly #game: string;

  /** `address`: address of the public gRPC port of the core, `host:port`. */
  constructor(address: string, game: string) {
    this.#client = clients.server(address);
    this.#game = game;
  }

  async fetch(servers: readonly string[]): Promise<FetchOutcome> {
    const { meta } = await unary<FetchServersResponse__Output>(done =>
      this.#client.fetchServers(
        { servers: [{ gameId: this.#game, servers: [...servers] }] },
        metadata,
        { deadline: Date.now() + DEADLINE_MS },
        done,
      ),
    );
    return {
      inserted: new Set(meta?.insertedServers.map(({ server }) => server)),
      refused: new Map(meta?.invalidServers.map(({ server, reason }) => [server, reason])),
    };
  }

  close(): void {
    this.#client.close();
  }
}
