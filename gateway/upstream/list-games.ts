import { connectivityState, type ServiceError as GrpcError, status } from '@grpc/grpc-js';
import { internalMetadata } from '../../proto/clients.ts';
import type { CoreClients } from '../../proto/cluster/core-clients.ts';
import type { GameServiceClient } from '../../proto/generated/gsq/v1/GameService.ts';
import type { ListGamesResponse__Output } from '../../proto/generated/gsq/v1/ListGamesResponse.ts';
import { ServiceError } from '../../proto/service-error.ts';
import { type Attempt, callCores } from './call-cores.ts';
import { coreAway, coreSlow } from './core-errors.ts';
import type { CoreSet } from './core-set.ts';

/** The cores from which the gateway can load the game catalog, and how to call them. */
export interface CatalogSource {
  cores: CoreSet;
  clients: CoreClients<GameServiceClient>;
  secret: string;
  /** Longest time for all attempts to load the game catalog together, in milliseconds. */
  timeoutMs: number;
}

/** Loads the game catalog from a core. Rejects with a ServiceError whose `cause` is the gRPC error. */
export function listGames(source: CatalogSource): Promise<ListGamesResponse__Output> {
  const deadline = Date.now() + source.timeoutMs;
  // The key, which selects the core to call, is empty. It does not matter which core is called, because all cores have
  // the same game catalog.
  return callCores(
    source.cores,
    '',
    attempt => listGamesOf(source, attempt, deadline),
    error => error instanceof ServiceError && error.code === 'CORE_1',
  );
}

function listGamesOf(
  { clients, secret }: CatalogSource,
  { address, lost }: Attempt,
  deadline: number,
): Promise<ListGamesResponse__Output> {
  const client = clients.clientOf(address);
  return new Promise((resolve, reject) => {
    const call = client.listGames({}, internalMetadata(secret), { deadline }, (error, answer) => {
      if (answer) resolve(answer);
      else reject(translateError(error, client.getChannel().getConnectivityState(false)));
    });
    lost?.addEventListener('abort', () => call.cancel(), { once: true });
  });
}

/**
 * Converts a gRPC error to CORE_2 (core too slow) or CORE_1 (core unreachable). DEADLINE_EXCEEDED becomes CORE_2 if the
 * channel is connected. Without a connection it becomes CORE_1, because gRPC also reports DEADLINE_EXCEEDED if it could
 * not connect in time.
 */
function translateError(error: GrpcError | null, channel: connectivityState): ServiceError {
  const isSlow = error?.code === status.DEADLINE_EXCEEDED && channel === connectivityState.READY;
  const translated = isSlow ? coreSlow() : coreAway();
  translated.cause = error;
  return translated;
}
