import type { CallOptions, Metadata, requestCallback } from '@grpc/grpc-js';
import type { ClusterServiceClient } from '../../proto/generated/gsq/v1/ClusterService.ts';
import { fromGrpcStatus, ServiceError } from '../../proto/service-error.ts';
import type { Member } from '../cluster/ownership.ts';
import type { Peers } from '../cluster/peers.ts';

/**
 * The members of `Peers` that are needed to call the other cores of the cluster: the list of these cores, their gRPC
 * clients, and the metadata of the calls.
 */
export type PeerConnections = Pick<Peers, 'others' | 'client' | 'metadata'>;

/** Starts one call of the gRPC service ClusterService at another core. Calls `done` with the answer. */
export type PeerCall<Answer> = (
  client: ClusterServiceClient,
  metadata: Metadata,
  options: CallOptions,
  done: requestCallback<Answer>,
) => void;

/**
 * Asks another core of the cluster, and waits at most `timeoutMs` milliseconds for its answer. Rejects with
 * ServiceError CORE_1 if the core does not answer in time, or answers with an error.
 */
export function askPeer<Answer>(
  peers: PeerConnections,
  member: Member,
  timeoutMs: number,
  call: PeerCall<Answer>,
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const options = { deadline: new Date(Date.now() + timeoutMs) };
    call(peers.client(member), peers.metadata, options, (error, answer) => {
      if (!error && answer !== undefined) resolve(answer);
      else reject(unavailable(error ?? undefined));
    });
  });
}

function unavailable(error: { metadata?: Metadata } | undefined): ServiceError {
  const known = error && fromGrpcStatus(error);
  return known?.code === 'CORE_1' ? known : partAway();
}

/** Returns the error for a caller whose request needs the servers of all cores, while some servers cannot be read. */
export function partAway(): ServiceError {
  return new ServiceError('CORE_1', 'A part of the servers cannot be read now; try again.', {
    retryAfterSeconds: 2,
  });
}
