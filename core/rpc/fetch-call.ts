import { isIP } from 'node:net';
import { Metadata as GrpcMetadata, type Metadata } from '@grpc/grpc-js';
import { credentialKeys } from '../../proto/clients.ts';
import { ServiceError } from '../../proto/service-error.ts';
import type { Admission, Allowance, Gate } from '../access/gate.ts';
import type { Credentials } from '../access/tokens.ts';
import { MAX_ADDRESSES } from '../servers/server-fetch.ts';

/** The credentials a call carries as metadata; empty strings where one is missing. */
export function credentialsOf(metadata: Metadata): Credentials {
  const read = (key: string): string => String(metadata.get(key)[0] ?? '');
  return {
    token: read(credentialKeys.token),
    tier: read(credentialKeys.tier),
    email: read(credentialKeys.email),
  };
}

/** The IP address of grpc-js's `host:port` peer name. */
export function peerAddress(peer: string): string {
  const host = peer.slice(0, peer.lastIndexOf(':')).replace(/^\[(.*)\]$/, '$1');
  return isIP(host) ? host : '';
}

/** Checks the number of addresses of an admitted fetch and charges it. Throws ServiceError POST_3, RefusedError QUOTA_1. */
export function chargeFetch(admission: Admission, count: number): void {
  if (count > MAX_ADDRESSES) {
    throw new ServiceError(
      'POST_3',
      `The request names ${count} addresses; at most ${MAX_ADDRESSES} are allowed, all groups together. Split it.`,
      { violations: [{ path: 'servers', message: `${count} addresses, at most ${MAX_ADDRESSES}` }] },
    );
  }
  admission.charge();
}

/** Lets in and charges a call that stands for one fetch, by its metadata. */
export async function admitCall(
  gate: Gate,
  call: { metadata: Metadata; getPeer(): string },
  count: number,
): Promise<Admission> {
  const caller = { address: peerAddress(call.getPeer()), domain: '' };
  const admission = await gate.admit(credentialsOf(call.metadata), caller);
  chargeFetch(admission, count);
  return admission;
}

/** The policies of a token as initial metadata of a gRPC answer, under the names of the REST headers. */
export function allowanceMetadata(allowances: readonly Allowance[]): GrpcMetadata {
  const metadata = new GrpcMetadata();
  const [first] = allowances;
  if (first) {
    metadata.set('x-ratelimit-limit', String(first.limit));
    metadata.set('x-ratelimit-remaining', String(first.remaining));
    metadata.set('x-ratelimit-reset', String(first.resetSeconds));
  }
  return metadata;
}
