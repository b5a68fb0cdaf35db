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
 * Translates every gRPC error into CORE_1 (the core cannot be reached) or CORE_2 (the core is too slow). No error is
 * the caller's fault, because ListGames has no arguments. gRPC reports DEADLINE_EXCEEDED also if it could not connect
 * in time. Therefore this status means a slow core only if the channel is connected.
 */
function translateError(error: GrpcError | null, channel: connectivityState): ServiceError {
  const isSlow = error?.code === status.DEADLINE_EXCEEDED && channel === connectivityState.READY;
  const translated = isSlow ? coreSlow() : coreAway();
  translated.cause = error;
  return translated;
}
