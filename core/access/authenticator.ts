import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';
import { ServiceError } from '../../proto/service-error.ts';
import { watchAccess } from './access-watch.ts';
import { AddressBurst } from './address-burst.ts';
import { withinDomains, withinRanges } from './allow-list.ts';
import { type Allowance, checkDayQuota, dayAllowance, RefusedError } from './allowance.ts';
import type { Caller } from './caller.ts';
import type { DayQuota } from './day-quota.ts';
import type { LastUse } from './last-use.ts';
import { isTier, type Token } from './token.ts';
import type { Credentials } from './token-index.ts';
import type { Tokens } from './tokens.ts';

/** An API call that passed all checks of the `Authenticator`, and its token. */
export interface Admission {
  readonly token: Token;
  /** Returns the limits of the token, and how many requests remain under each. The daily quota comes first. */
  allowances(): Allowance[];
  /**
   * Counts the admitted call against the daily quota of its token. Throws RefusedError QUOTA_1 if other calls have used
   * up the quota after this call was admitted.
   */
  charge(): void;
}

/**
 * Admits or refuses calls. Checks the credentials, the allow-lists, the daily quota and the rate limits, in this
 * order.
 */
export class Authenticator {
  readonly #tokens: Tokens;
  readonly #quota: DayQuota;
  readonly #lastUse: LastUse;
  readonly #now: () => number;
  readonly #burst: RateLimiterMemory;
  readonly #addresses: AddressBurst;

  /**
   * `burstLimit`: maximum number of requests of one token in one second. `addressLimit`: maximum number of requests of
   * one IP address in one second; 0 means no limit.
   */
  constructor(
    tokens: Tokens,
    quota: DayQuota,
    lastUse: LastUse,
    burstLimit: number,
    now: () => number,
    addressLimit = 0,
  ) {
    this.#tokens = tokens;
    this.#quota = quota;
    this.#lastUse = lastUse;
    this.#now = now;
    this.#burst = new RateLimiterMemory({ points: burstLimit, duration: 1 });
    this.#addresses = new AddressBurst(addressLimit);
  }

  /**
   * Admits a call. Rejects with ServiceError AUTH_1, AUTH_2 or AUTH_3 if the credentials are wrong. Rejects with
   * RefusedError AUTH_4, QUOTA_1 or RATE_1 if the call is not allowed.
   */
  async admit(
    credentials: Credentials,
    caller: Caller,
    // True if the call waited in the gateway until the core was available again.
    wasParked = false,
    // True if the gateway repeats a call that was already counted against the daily quota.
    wasCharged = false,
  ): Promise<Admission> {
    const token = this.#authenticate(credentials);
    if (!isAllowedFrom(token, caller)) throw await this.#refuseSource(token, caller);
    if (!wasCharged) checkDayQuota(token, this.#quota);
    // Two kinds of calls do not count against the limits per second. Calls that waited in the gateway do not count,
    // because they all arrive at the same time. Repeated calls do not count, because they were counted before.
    if (wasParked || wasCharged) {
      this.#lastUse.note(token.id);
      return new TokenAdmission(token, this, await this.#burst.get(token.id));
    }
    if (this.#addresses.isLimited(caller) && !(await this.#addresses.countRequest(caller)))
      throw await this.#refuseAddress(token, caller);
    try {
      const burst = await this.#burst.consume(token.id);
      this.#lastUse.note(token.id);
      return new TokenAdmission(token, this, burst);
    } catch (refusal) {
      if (!(refusal instanceof RateLimiterRes)) throw refusal;
      throw this.#refuseBurst(token, refusal);
    }
  }

  /**
   * Watches whether a caller may still use its token, while a stream is open. Calls `onRefused` once: with AUTH_3 for
   * invalid credentials, or AUTH_4 if an allow-list excludes the caller. Returns a function that ends the watch.
   */
  watch(
    credentials: Credentials,
    caller: Caller,
    tokenId: string,
    onRefused: (error: ServiceError) => void,
  ): () => void {
    const findRefusal = (): ServiceError | undefined => {
      const token = this.#tokens.verify(credentials, this.#now());
      if (!token) return invalidCredentials();
      return isAllowedFrom(token, caller) ? undefined : wrongSource(token, caller);
    };
    return watchAccess({ tokens: this.#tokens, tokenId, now: this.#now, findRefusal, onRefused });
  }

  /** Counts one request against the daily quota of a token. Throws RefusedError QUOTA_1 if the quota is used up. */
  charge(token: Token): void {
    checkDayQuota(token, this.#quota);
    this.#quota.charge(token.id);
  }

  /**
   * Returns the limits of a token, and how many requests remain under each. The daily quota comes first; tokens of the
   * tier PRO have none. `burst`: state of the limiter for requests per second; null if the limiter has no count for the
   * token.
   */
  allowances(token: Token, burst: RateLimiterRes | null): Allowance[] {
    const second: Allowance = {
      policy: 'burst',
      limit: this.#burst.points,
      remaining: Math.max(0, burst?.remainingPoints ?? this.#burst.points),
      windowSeconds: 1,
      resetSeconds: 1,
    };
    return token.tier === 'PRO' ? [second] : [dayAllowance(token, this.#quota), second];
  }

  /**
   * Returns the token of the credentials. Throws AUTH_1 if the secret is missing, and AUTH_2 if the tier is unknown.
   * Throws AUTH_3 for all other faults, so an attacker cannot find out which value was right.
   */
  #authenticate(credentials: Credentials): Token {
    if (credentials.token === '') {
      throw new ServiceError('AUTH_1', 'The API token is missing; send it as x-api-token.');
    }
    if (!isTier(credentials.tier)) {
      throw new ServiceError(
        'AUTH_2',
        'The token type, sent as x-api-token-type, must be FREE or PRO, in capitals.',
      );
    }
    const token = this.#tokens.verify(credentials, this.#now());
    if (!token) throw invalidCredentials();
    return token;
  }

  async #refuseSource(token: Token, caller: Caller): Promise<RefusedError> {
    const error = wrongSource(token, caller);
    return new RefusedError(error, this.allowances(token, await this.#burst.get(token.id)), token.id);
  }

  async #refuseAddress(token: Token, { address }: Caller): Promise<RefusedError> {
    const error = new ServiceError(
      'RATE_1',
      `More than ${this.#addresses.limit} requests from your address within one second, of all tokens; spread them, or ask for more servers in one.`,
      {
        retryAfterSeconds: 1,
        facts: { limit_per_second: String(this.#addresses.limit) },
        quotaSubject: `clientip:${address}`,
      },
    );
    const allowances = this.allowances(token, await this.#burst.get(token.id)).reverse();
    return new RefusedError(error, allowances, token.id);
  }

  #refuseBurst(token: Token, refusal: RateLimiterRes): RefusedError {
    const error = new ServiceError(
      'RATE_1',
      `More than ${this.#burst.points} requests within one second; spread them, or ask for more servers in one.`,
      {
        retryAfterSeconds: 1,
        facts: { limit_per_second: String(this.#burst.points) },
        quotaSubject: `token:${token.id}`,
      },
    );
    // The limit per second has refused the request, so this limit must come first in the error. `allowances` returns
    // the daily quota first, so `reverse` changes the order.
    return new RefusedError(error, this.allowances(token, refusal).reverse(), token.id);
  }
}

/**
 * The result of the `Authenticator` for an admitted call: the token, the requests that remain under its limits, and a
 * method that counts the call against the daily quota.
 */
class TokenAdmission implements Admission {
  readonly token: Token;
  readonly #authenticator: Authenticator;
  readonly #burst: RateLimiterRes | null;

  constructor(token: Token, authenticator: Authenticator, burst: RateLimiterRes | null) {
    this.token = token;
    this.#authenticator = authenticator;
    this.#burst = burst;
  }

  allowances(): Allowance[] {
    return this.#authenticator.allowances(this.token, this.#burst);
  }

  charge(): void {
    this.#authenticator.charge(this.token);
  }
}

function invalidCredentials(): ServiceError {
  return new ServiceError(
    'AUTH_3',
    'Token, type and e-mail do not belong together, or the token is no longer valid; check x-api-token, x-api-token-type and x-api-token-email.',
  );
}

function wrongSource(token: Token, caller: Caller): ServiceError {
  const which = isAllowedIp(token, caller) ? 'domain' : 'IP';
  return new ServiceError(
    'AUTH_4',
    `This token may not be used from here: its ${which} allow-list does not name the caller.`,
  );
}

function isAllowedIp({ allowIps }: Token, caller: Caller): boolean {
  return allowIps.length === 0 || withinRanges(caller.address, allowIps);
}

function isAllowedFrom(token: Token, caller: Caller): boolean {
  const { allowDomains } = token;
  return (
    isAllowedIp(token, caller) && (allowDomains.length === 0 || withinDomains(caller.domain, allowDomains))
  );
}
