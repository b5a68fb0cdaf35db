import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';
import { ServiceError } from '../../proto/service-error.ts';
import { AddressBurst } from './address-burst.ts';
import { withinDomains, withinRanges } from './allow-list.ts';
import { type Allowance, checkDayQuota, dayAllowance, RefusedError } from './allowance.ts';
import type { Caller } from './caller.ts';
import type { DayQuota } from './day-quota.ts';
import type { LastUse } from './last-use.ts';
import { isTier, type Token } from './token.ts';
import type { Credentials } from './token-index.ts';
import type { Tokens } from './tokens.ts';

/** A call that was admitted, with the token that made it. */
export interface Admission {
  readonly token: Token;
  /** The token's remaining allowances, the daily one first. */
  allowances(): Allowance[];
  /** Counts this request against the daily quota; throws RefusedError QUOTA_1 if other calls used it up meanwhile. */
  charge(): void;
}

/** Admits or refuses calls: checks credentials, allow-lists, daily quota and rate limits, in the contract's order. */
export class Authenticator {
  readonly #tokens: Tokens;
  readonly #quota: DayQuota;
  readonly #lastUse: LastUse;
  readonly #now: () => number;
  readonly #burst: RateLimiterMemory;
  readonly #addresses: AddressBurst;

  /** `burstLimit`: requests of one token in one second; `addressLimit`: requests of one address in one second, 0 for no limit. */
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
   * Resolves to an admission. Rejects with ServiceError AUTH_1 to AUTH_4, or RefusedError QUOTA_1 or RATE_1.
   * `wasParked`: the gateway queued the request while the core was away. Such requests arrive together though they were
   * made apart, so they do not count towards a burst.
   */
  async admit(credentials: Credentials, caller: Caller, wasParked = false): Promise<Admission> {
    const token = this.#authenticate(credentials);
    if (!isAllowedFrom(token, caller)) throw await this.#refuseSource(token, caller);
    checkDayQuota(token, this.#quota);
    if (!wasParked && this.#addresses.isLimited(caller) && !(await this.#addresses.countRequest(caller)))
      throw await this.#refuseAddress(token);
    try {
      const burst = await this.#burst.consume(token.id, wasParked ? 0 : 1);
      this.#lastUse.note(token.id);
      return new TokenAdmission(token, this, burst);
    } catch (refusal) {
      if (!(refusal instanceof RateLimiterRes)) throw refusal;
      throw this.#refuseBurst(token, refusal);
    }
  }

  /** Counts a request of a token against its daily quota. Throws RefusedError QUOTA_1. */
  charge(token: Token): void {
    checkDayQuota(token, this.#quota);
    this.#quota.charge(token.id);
  }

  /** The remaining allowances of a token, the daily one first. `burst`: the burst limiter's latest result. */
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
   * Finds the token of the credentials. Missing and malformed headers have errors of their own, since the caller can see
   * them; all other faults share AUTH_3, so that nobody learns which header was right.
   */
  #authenticate(credentials: Credentials): Token {
    if (credentials.token === '') {
      throw new ServiceError('AUTH_1', 'The X-API-Token header is missing; send the API token in it.');
    }
    if (!isTier(credentials.tier)) {
      throw new ServiceError('AUTH_2', 'The X-API-Token-Type header must be FREE or PRO, in capitals.');
    }
    const token = this.#tokens.verify(credentials, this.#now());
    if (!token) {
      throw new ServiceError(
        'AUTH_3',
        'Token, type and e-mail do not belong together, or the token is no longer valid; check all three headers.',
      );
    }
    return token;
  }

  async #refuseSource(token: Token, caller: Caller): Promise<RefusedError> {
    const which = isAllowedIp(token, caller) ? 'domain' : 'IP';
    const error = new ServiceError(
      'AUTH_4',
      `This token may not be used from here: its ${which} allow-list does not name the caller.`,
    );
    return new RefusedError(error, this.allowances(token, await this.#burst.get(token.id)));
  }

  async #refuseAddress(token: Token): Promise<RefusedError> {
    const error = new ServiceError(
      'RATE_1',
      `More than ${this.#addresses.limit} requests from your address within one second, of all tokens; spread them, or ask for more servers in one.`,
      { retryAfterSeconds: 1 },
    );
    return new RefusedError(error, this.allowances(token, await this.#burst.get(token.id)).reverse());
  }

  #refuseBurst(token: Token, refusal: RateLimiterRes): RefusedError {
    const error = new ServiceError(
      'RATE_1',
      `More than ${this.#burst.points} requests within one second; spread them, or ask for more servers in one.`,
      { retryAfterSeconds: 1 },
    );
    // The limit that refused the call comes first.
    return new RefusedError(error, this.allowances(token, refusal).reverse());
  }
}

/** The admission of one call. */
class TokenAdmission implements Admission {
  readonly token: Token;
  readonly #authenticator: Authenticator;
  readonly #burst: RateLimiterRes;

  constructor(token: Token, authenticator: Authenticator, burst: RateLimiterRes) {
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

function isAllowedIp({ allowIps }: Token, caller: Caller): boolean {
  return allowIps.length === 0 || withinRanges(caller.address, allowIps);
}

function isAllowedFrom(token: Token, caller: Caller): boolean {
  const { allowDomains } = token;
  return (
    isAllowedIp(token, caller) && (allowDomains.length === 0 || withinDomains(caller.domain, allowDomains))
  );
}
