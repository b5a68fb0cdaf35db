import { Metadata } from '@grpc/grpc-js';
import { clients, credentialKeys } from '../../proto/clients.ts';
import type { ServerResult__Output } from '../../proto/generated/gsq/v1/ServerResult.ts';
import type { Stack } from '../system/stack.ts';
import { bootstrap } from '../system/stack-settings.ts';

/** Credentials of the test token. Each key is both the name of an HTTP header and a key of gRPC metadata. */
export const credentials: Record<string, string> = {
  [credentialKeys.token]: bootstrap.token,
  [credentialKeys.tier]: bootstrap.tier,
  [credentialKeys.email]: bootstrap.email,
};

const DEADLINE_MS = 10_000;

/** A game server in a REST answer of gsq, with the fields that these tests read. */
export interface RestServer {
  name?: string;
  map?: string;
  players?: number;
  maxplayers?: number;
  numplayers?: number;
  updated?: string;
  _updater: { status: string; firewall_label: string };
}

export interface RestFetch {
  server: RestServer;
  inserted: { game_id: string; server: string }[];
}

/** Fetches one server through REST. Rejects if the HTTP status is not 200. */
export async function fetchByRest(stack: Stack, gameId: string, address: string): Promise<RestFetch> {
  const response = await fetch(`http://${stack.http}/v1/post/fetch`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...credentials },
    body: JSON.stringify({ servers: [{ game_id: gameId, servers: [address] }] }),
    signal: AbortSignal.timeout(DEADLINE_MS),
  });
  const text = await response.text();
  if (response.status !== 200) throw new Error(`REST answers ${response.status}: ${text}`);
  const body = JSON.parse(text);
  return { server: body[address], inserted: body._meta.inserted_servers };
}

/** Fetches one server through gRPC. Rejects if the gRPC status is not OK. */
export async function fetchByGrpc(
  stack: Stack,
  gameId: string,
  address: string,
): Promise<ServerResult__Output> {
  const metadata = new Metadata();
  for (const [key, value] of Object.entries(credentials)) metadata.set(key, value);
  const request = { servers: [{ gameId, servers: [address] }] };
  const client = clients.server(stack.grpc);
  try {
    return await new Promise((resolve, reject) => {
      const deadline = Date.now() + DEADLINE_MS;
      client.fetchServers(request, metadata, { deadline }, (error, response) => {
        const [result] = response?.results ?? [];
        if (result) resolve(result);
        else reject(error ?? new Error('gRPC answers without a result'));
      });
    });
  } finally {
    client.close();
  }
}
