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
 * Translates every gRPC error into CORE_1 (the core cannot be reached) or CORE_2 (the core is too slow). ListGames has
 * no arguments, so the caller never causes an error. DEADLINE_EXCEEDED means a slow core only if the channel is
 * connected, because gRPC also reports this status if it could not connect before the deadline.
 */
function translateError(error: GrpcError | null, channel: connectivityState): ServiceError {
  const isSlow = error?.code === status.DEADLINE_EXCEEDED && channel === connectivityState.READY;
  const translated = isSlow ? coreSlow() : coreAway();
  translated.cause = error;
  return translated;
}
