import { connectivityState, type ServiceError as GrpcError, status } from '@grpc/grpc-js';
import { internalMetadata } from '../../proto/clients.ts';
import type { GameServiceClient } from '../../proto/generated/gsq/v1/GameService.ts';
import type { ListGamesResponse__Output } from '../../proto/generated/gsq/v1/ListGamesResponse.ts';
import type { ServiceError } from '../../proto/service-error.ts';
import { coreAway, coreSlow } from './core-errors.ts';

/** Loads the game catalog from the core. Rejects with a ServiceError whose `cause` is the gRPC error. */
export function listGames(
  client: GameServiceClient,
  secret: string,
  timeoutMs: number,
): Promise<ListGamesResponse__Output> {
  return new Promise((resolve, reject) => {
    const options = { deadline: Date.now() + timeoutMs };
    client.listGames({}, internalMetadata(secret), options, (error, answer) => {
      if (answer) resolve(answer);
      else reject(translateError(error, client.getChannel().getConnectivityState(false)));
    });
  });
}

/**
 * Translates every gRPC error into CORE_1 or CORE_2. ListGames has no arguments, so an error is never the fault of the
 * caller. While the core cannot be reached, gRPC retries and finally reports DEADLINE_EXCEEDED. Therefore this status
 * means a slow core only if the channel is connected.
 */
function translateError(error: GrpcError | null, channel: connectivityState): ServiceError {
  const isSlow = error?.code === status.DEADLINE_EXCEEDED && channel === connectivityState.READY;
  const translated = isSlow ? coreSlow() : coreAway();
  translated.cause = error;
  return translated;
}
