import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';
import { ServiceError } from '../../proto/service-error.ts';
import { AddressBurst } from './address-burst.ts';
import { withinDomains, withinRanges } from './allow-list.ts';
import { DAY_SECONDS, type DayQuota } from './day-quota.ts';
import type { LastUse } from './last-use.ts';
import { isTier, type Token } from './token.ts';
import type { Credentials } from './token-index.ts';
import type { Tokens } from './tokens.ts';

/** Requests a FREE token may make in any 24 hours; PRO has no such limit (CONTRACT). */
export const FREE_DAY_QUOTA = 1440;

/** Where a call comes from. */
export interface Caller {
  /** IP address. */
  address: string;
  /** Host of the page behind the call; empty where there is none. */
  domain: string;
  /** Whether the address may be that of a proxy, which many come by. */
  proxied?: boolean;
}

/** One rate policy and what is left of it. */
export interface Allowance {
  policy: 'day' | 'burst';
  limit: number;
  remaining: number;
  windowSeconds: number;
  /** Seconds until more is allowed again. */
  resetSeconds: number;
}

/** A caller that was let in. */
export interface Admission {
  readonly token: Token;
  /** What the token may still do now, the day's policy first. */
  allowances(): Allowance[];
  /** Counts this request against the day's quota; throws RefusedError QUOTA_1 where others used it up meanwhile. */
  charge(): void;
}

/** Refused, though the token is known: carries what it may still do. */
export class RefusedError extends ServiceError {
  readonly allowances: Allowance[];

  constructor(cause: ServiceError, allowances: Allowance[]) {
    super(cause.code, cause.message, cause.details);
    this.allowances = allowances;
  }
}

/** Lets callers in or says why not: credentials, allow-lists, the day's quota, bursts, in the contract's order. */
export class Authenticator {
  readonly #tokens: Tokens;
  readonly #quota: DayQuota;
  readonly #lastUse: LastUse;
  readonly #now: () => number;
  readonly #burst: RateLimiterMemory;
  readonly #addresses: AddressBurst;

  /** `burstLimit`: requests one token may make in one second; `addressLimit`: one address, 0 for any number. */
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
   * Rejects with ServiceError AUTH_1 to AUTH_4, or RefusedError QUOTA_1 or RATE_1. A request that was held back, and so
   * comes at once with others that were made earlier, is no part of a burst.
   */
  async admit(credentials: Credentials, caller: Caller, held = false): Promise<Admission> {
    const token = this.#authenticate(credentials);
    if (!mayComeFrom(token, caller)) throw await this.#elsewhere(token, caller);
    this.#checkDay(token);
    if (!held && this.#addresses.counts(caller) && !(await this.#addresses.take(caller)))
      throw await this.#crowded(token);
    try {
      const burst = await this.#burst.consume(token.id, held ? 0 : 1);
      this.#lastUse.note(token.id);
      return new Admitted(token, this, burst);
    } catch (refusal) {
      if (!(refusal instanceof RateLimiterRes)) throw refusal;
      throw this.#tooFast(token, refusal);
    }
  }

  /** Counts a request of a token against the day's quota. Throws RefusedError QUOTA_1. */
  charge(token: Token): void {
    this.#checkDay(token);
    this.#quota.charge(token.id);
  }

  /** Missing and malformed headers are told, for callers see them themselves; of the rest all is one AUTH_3. */
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

  async #elsewhere(token: Token, caller: Caller): Promise<RefusedError> {
    const which = fitsIps(token, caller) ? 'domain' : 'IP';
    const error = new ServiceError(
      'AUTH_4',
      `This token may not be used from here: its ${which} allow-list does not name the caller.`,
    );
    return new RefusedError(error, this.allowances(token, await this.#burst.get(token.id)));
  }

  async #crowded(token: Token): Promise<RefusedError> {
    const error = new ServiceError(
      'RATE_1',
      `More than ${this.#addresses.limit} requests from your address within one second, of all tokens; spread them, or ask for more servers in one.`,
      { retryAfterSeconds: 1 },
    );
    return new RefusedError(error, this.allowances(token, await this.#burst.get(token.id)).reverse());
  }

  #tooFast(token: Token, refusal: RateLimiterRes): RefusedError {
    const error = new ServiceError(
      'RATE_1',
      `More than ${this.#burst.points} requests within one second; spread them, or ask for more servers in one.`,
      { retryAfterSeconds: 1 },
    );
    // What binds comes first.
    return new RefusedError(error, this.allowances(token, refusal).reverse());
  }

  #dayRemaining(token: Token): number {
    return token.tier === 'PRO'
      ? Number.POSITIVE_INFINITY
      : Math.max(0, FREE_DAY_QUOTA - this.#quota.used(token.id));
  }

  #dayAllowance(token: Token): Allowance {
    return {
      policy: 'day',
      limit: FREE_DAY_QUOTA,
      remaining: this.#dayRemaining(token),
      windowSeconds: DAY_SECONDS,
      resetSeconds: this.#quota.resetSeconds(token.id),
    };
  }

  #checkDay(token: Token): void {
    if (this.#dayRemaining(token) > 0) return;
    const error = new ServiceError(
      'QUOTA_1',
      `The quota of ${FREE_DAY_QUOTA} requests in 24 hours is used up; wait for Retry-After, or use a PRO token.`,
      {
        retryAfterSeconds: this.#quota.resetSeconds(token.id),
        facts: { quota: String(FREE_DAY_QUOTA), used: String(this.#quota.used(token.id)) },
      },
    );
    throw new RefusedError(error, [this.#dayAllowance(token)]);
  }

  /** What a token may still do, the day's policy first; `burst` is what the limiter last said of it. */
  allowances(token: Token, burst: RateLimiterRes | null): Allowance[] {
    const second: Allowance = {
      policy: 'burst',
      limit: this.#burst.points,
      remaining: Math.max(0, burst?.remainingPoints ?? this.#burst.points),
      windowSeconds: 1,
      resetSeconds: 1,
    };
    return token.tier === 'PRO' ? [second] : [this.#dayAllowance(token), second];
  }
}

/** One admission. */
class Admitted implements Admission {
  readonly token: Token;
  readonly #gate: Authenticator;
  readonly #burst: RateLimiterRes;

  constructor(token: Token, gate: Authenticator, burst: RateLimiterRes) {
    this.token = token;
    this.#gate = gate;
    this.#burst = burst;
  }

  allowances(): Allowance[] {
    return this.#gate.allowances(this.token, this.#burst);
  }

  charge(): void {
    this.#gate.charge(this.token);
  }
}

function fitsIps({ allowIps }: Token, caller: Caller): boolean {
  return allowIps.length === 0 || withinRanges(caller.address, allowIps);
}

function mayComeFrom(token: Token, caller: Caller): boolean {
  const { allowDomains } = token;
  return fitsIps(token, caller) && (allowDomains.length === 0 || withinDomains(caller.domain, allowDomains));
}
