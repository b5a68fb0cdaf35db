import { Metadata as GrpcMetadata, type Metadata } from '@grpc/grpc-js';
import { accountKeys, callerKeys, credentialKeys } from '../../proto/clients.ts';
import type { CallAccount } from '../../proto/generated/codec/fetch.ts';
import { ServiceError } from '../../proto/service-error.ts';
import { type Allowance, RefusedError } from '../access/allowance.ts';
import type { Admission, Authenticator } from '../access/authenticator.ts';
import type { Caller } from '../access/caller.ts';
import type { Credentials } from '../access/token-index.ts';
import { type FetchedPair, MAX_ADDRESSES } from '../servers/fetch-request.ts';
import { peerAddress } from './peer-address.ts';
import { replyMetadata } from './reply-metadata.ts';
import type { AccessWatch } from './stream-end.ts';

/** Returns the credentials in the metadata of a call. A missing value becomes an empty string. */
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

/**
 * The caller of a gRPC call, identified by the IP address of the connection. On the internal port, a call can specify a
 * different caller.
 */
export class Peer implements Caller {
  readonly domain = '';
  readonly proxied: boolean;
  readonly #call: { getPeer(): string };
  #address: string | undefined;

  /** `proxied`: true if callers can connect through a proxy, so that many callers can have the same IP address. */
  constructor(call: { getPeer(): string }, proxied: boolean) {
    this.#call = call;
    this.proxied = proxied;
  }

  /** IP address of the peer. It is looked up on first use. All calls of a stream share one look-up. */
  get address(): string {
    this.#address ??= peerAddress(this.#call);
    return this.#address;
  }
}

/**
 * Checks the number of addresses in a fetch. Then counts the fetch against the daily quota of the token. Throws
 * ServiceError POST_3 if there are too many addresses. Throws RefusedError QUOTA_1 if the quota is used up.
 */
export function chargeFetch(admission: Admission, count: number): void {
  if (count > MAX_ADDRESSES) {
    throw new ServiceError(
      'POST_3',
      `The request names ${count} addresses; at most ${MAX_ADDRESSES} are allowed, all groups together. Split it.`,
      {
        violations: [{ path: 'servers', message: `${count} addresses, at most ${MAX_ADDRESSES}` }],
        facts: { addresses: String(count), max_addresses: String(MAX_ADDRESSES) },
      },
    );
  }
  admission.charge();
}

/**
 * Counts the inserted servers and the invalid addresses of a fetch. Adds both numbers to `account`, the data of the
 * call for the access log.
 */
export function countPairs(account: CallAccount, pairs: readonly FetchedPair[]): void {
  for (const { inserted, invalid } of pairs) {
    if (inserted) account.inserted++;
    if (invalid) account.invalid++;
  }
}

/**
 * Returns the caller of a call, usually the peer of the connection. On the internal port (`trusted` is true), the
 * metadata of the call can name a different caller. `proxied`: true if callers can connect through a proxy.
 */
export function callerOf(
  call: { metadata: Metadata; getPeer(): string },
  proxied: boolean,
  trusted: boolean,
): Caller {
  if (!trusted || !isForCaller(call.metadata)) return new Peer(call, proxied);
  return {
    address: first(call.metadata, callerKeys.address),
    domain: first(call.metadata, callerKeys.domain),
    proxied: call.metadata.get(callerKeys.proxied).length > 0,
  };
}

/**
 * True if a gateway makes the call for one of its callers. On the internal port, all other calls are made by operators.
 */
export function isForCaller(metadata: Metadata): boolean {
  return metadata.get(callerKeys.address).length > 0;
}

/**
 * True if the call is a repetition by a gateway: another core has perhaps already counted the call against the caller's
 * limits.
 */
export function isRepeated(metadata: Metadata): boolean {
  return metadata.get(callerKeys.repeated).length > 0;
}

/**
 * Admits a call if its credentials are valid. Does not count it against the daily quota. `proxied`: true if callers can
 * share the address of a proxy. `trusted`: true on the internal port, where metadata can name the caller.
 */
export function admitCall(
  authenticator: Authenticator,
  call: { metadata: Metadata; getPeer(): string },
  proxied: boolean,
  trusted = false,
): Promise<Admission> {
  const caller = callerOf(call, proxied, trusted);
  const wasCharged = trusted && isRepeated(call.metadata);
  const admitted = authenticator.admit(credentialsOf(call.metadata), caller, false, wasCharged);
  if (!trusted) return admitted;
  return admitted.catch((error: unknown) => {
    if (error instanceof RefusedError) addAccount(call, error.tokenId, error.allowances);
    throw error;
  });
}

/**
 * Returns a function `(onRefused) => …` that watches the caller of an open stream. `onRefused` is called when the
 * caller may no longer use the token `tokenId`. `proxied`: true if callers can share the address of a proxy. `trusted`:
 * true on the internal port, where metadata can name the caller.
 */
export function accessWatch(
  authenticator: Authenticator,
  call: { metadata: Metadata; getPeer(): string },
  tokenId: string,
  proxied: boolean,
  trusted: boolean,
): AccessWatch {
  const credentials = credentialsOf(call.metadata);
  const caller = callerOf(call, proxied, trusted);
  return onRefused => authenticator.watch(credentials, caller, tokenId, onRefused);
}

/**
 * Tells the gateway the id of the caller's token and the caller's remaining allowances. Adds them to the initial
 * metadata of the reply, under the keys in `accountKeys`.
 */
export function addAccount(call: object, tokenId: string, allowances: readonly Allowance[]): void {
  const metadata = replyMetadata(call);
  metadata.set(accountKeys.tokenId, tokenId);
  metadata.remove(accountKeys.allowance);
  for (const { policy, limit, remaining, windowSeconds, resetSeconds } of allowances) {
    metadata.add(accountKeys.allowance, [policy, limit, remaining, windowSeconds, resetSeconds].join(';'));
  }
}

/**
 * Returns the remaining daily quota as gRPC metadata, in the format of the REST header `RateLimit`. Undefined without a
 * daily quota. Leaves out the limit per second, because it would be out of date on arrival.
 */
export function allowanceMetadata(allowances: readonly Allowance[]): GrpcMetadata | undefined {
  const day = allowances.find(({ policy }) => policy === 'day');
  if (!day) return undefined;
  const metadata = new GrpcMetadata();
  metadata.set('ratelimit', `"day";r=${day.remaining};t=${day.resetSeconds}`);
  return metadata;
}
