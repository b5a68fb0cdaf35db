import { connectivityState, type ServiceError as GrpcError, status } from '@grpc/grpc-js';
import { internalMetadata } from '../../proto/clients.ts';
import type { GameServiceClient } from '../../proto/generated/gsq/v1/GameService.ts';
import type { ListGamesResponse__Output } from '../../proto/generated/gsq/v1/ListGamesResponse.ts';
import type { ServiceError } from '../../proto/service-error.ts';
import { coreAway, coreSlow } from './core-link.ts';

/** Asks the core for the catalog. Rejects with ServiceError, whose cause is what gRPC said. */
export function listGames(
  client: GameServiceClient,
  secret: string,
  timeoutMs: number,
): Promise<ListGamesResponse__Output> {
  return new Promise((resolve, reject) => {
    const options = { deadline: Date.now() + timeoutMs };
    client.listGames({}, internalMetadata(secret), options, (error, answer) => {
      if (answer) resolve(answer);
      // A call that is repeated until its time is over says nothing but that.
      else reject(translated(error, client.getChannel().getConnectivityState(false)));
    });
  });
}

/** None of the core's own errors is about a caller here: a call without arguments can only find it away or slow. */
function translated(error: GrpcError | null, channel: connectivityState): ServiceError {
  const isSlow = error?.code === status.DEADLINE_EXCEEDED && channel === connectivityState.READY;
  const known = isSlow ? coreSlow() : coreAway();
  known.cause = error;
  return known;
}
