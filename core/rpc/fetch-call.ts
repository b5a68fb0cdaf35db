import { isIP } from 'node:net';
import { Metadata as GrpcMetadata, type Metadata } from '@grpc/grpc-js';
import { credentialKeys } from '../../proto/clients.ts';
import { ServiceError } from '../../proto/service-error.ts';
import type { Allowance } from '../access/allowance.ts';
import type { Admission, Authenticator } from '../access/authenticator.ts';
import type { Caller } from '../access/caller.ts';
import type { Credentials } from '../access/token-index.ts';
import { MAX_ADDRESSES } from '../servers/fetch-request.ts';

/** The credentials in a call's metadata; missing ones are empty strings. */
export function credentialsOf(metadata: Metadata): Credentials {
  return {
    token: first(metadata, credentialKeys.token),
    tier: first(metadata, credentialKeys.tier),
    email: first(metadata, credentialKeys.email),
  };
}

function first(metadata: Metadata, key: string): string {
  return String(metadata.get(key)[0] ?? '');
}

/** The peer of a gRPC connection as the caller of its calls. */
export class Peer implements Caller {
  readonly domain = '';
  readonly proxied: boolean;
  readonly #call: { getPeer(): string };
  #address: string | undefined;

  /** `proxied`: true if callers may come through a proxy. */
  constructor(call: { getPeer(): string }, proxied: boolean) {
    this.#call = call;
    this.proxied = proxied;
  }

  /** IP address of the peer, looked up on first use; a stream has one for all its calls. */
  get address(): string {
    this.#address ??= this.#lookUp();
    return this.#address;
  }

  #lookUp(): string {
    const peer = this.#call.getPeer();
    const host = peer.slice(0, peer.lastIndexOf(':')).replace(/^\[(.*)\]$/, '$1');
    return isIP(host) ? host : '';
  }
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

/** Admits a call by the credentials in its metadata, without charging it. `proxied`: as in `Peer`. */
export function admitCall(
  authenticator: Authenticator,
  call: { metadata: Metadata; getPeer(): string },
  proxied: boolean,
): Promise<Admission> {
  return authenticator.admit(credentialsOf(call.metadata), new Peer(call, proxied));
}

/**
 * The remaining daily quota as initial metadata of a gRPC reply, in the format of the REST header `RateLimit`. Undefined for
 * a token without a daily quota; the burst allowance is out of date before it arrives.
 */
export function allowanceMetadata(allowances: readonly Allowance[]): GrpcMetadata | undefined {
  const day = allowances.find(({ policy }) => policy === 'day');
  if (!day) return undefined;
  const metadata = new GrpcMetadata();
  metadata.set('ratelimit', `"day";r=${day.remaining};t=${day.resetSeconds}`);
  return metadata;
}
