import type { InsertLimits, InsertRates } from './insert-rates.ts';
import type { UnconfirmedLimits, UnconfirmedServers } from './unconfirmed-servers.ts';

/**
 * Value of `insertedBy` for servers that the operator added. No limit applies to these servers, and gsq keeps a server
 * of the operator even if the server never answers.
 */
export const OPERATOR = 'admin';

/**
 * Reason why a server was not inserted. The answer to a fetch lists it in `_meta.invalid_servers`. Source: the API
 * contract (CONTRACT).
 */
export interface InsertRefusal {
  reason: 'insert_quota';
  /** Text for people: which limit was reached, and when to try again. */
  message: string;
}

type Limit = keyof InsertLimits | keyof UnconfirmedLimits;

const refused = (message: string): InsertRefusal => ({ reason: 'insert_quota', message });

const REFUSALS: Record<Limit, InsertRefusal> = {
  aMinute: refused('This token inserted as many servers as it may in a minute; ask again in the next one.'),
  aDay: refused('This token inserted as many servers as it may in 24 hours; ask again tomorrow.'),
  aToken: refused(
    'This token waits for as many servers to answer for the first time as it may; ask again in some minutes.',
  ),
  anAddress: refused(
    'As many servers at this IP address as may be are waiting to answer for the first time; ask again in some minutes.',
  ),
  aNetwork: refused(
    'As many servers in this network as may be are waiting to answer for the first time; ask again in some minutes.',
  ),
  inAll: refused(
    'As many servers as may be are waiting to answer for the first time; ask again in some minutes.',
  ),
};

/** Counts inserts of servers, and refuses an insert that would exceed a limit. */
export interface InsertCounter {
  /** Returns the present time of the clock that the limits use, Unix ms. */
  now(): number;
  /**
   * Counts a server before its insert. Returns true if it was counted, the refusal if a limit is reached, and false if
   * this server need not be counted. `insertedBy`: token id, or OPERATOR. `own`: true if `address` is in a network of
   * the operator.
   */
  countInsert(key: string, insertedBy: string, address: string, own: boolean): InsertRefusal | boolean;
  /**
   * Undoes `countInsert` for one server. Call this method if `countInsert` has counted the server at the time `at`, and
   * its insert has then failed.
   */
  uncountInsert(key: string, insertedBy: string, at: number): void;
}

/**
 * Checks inserts of servers against two kinds of limits: the rates of a token (inserts per minute and per day), and the
 * numbers of unconfirmed servers, which have never answered.
 */
export class InsertGuard implements InsertCounter {
  /**
   * Each core of a cluster counts only its own inserts. Therefore a cluster of n cores allows up to n times the
   * configured rate.
   */
  readonly #rates: InsertRates;
  /**
   * Limits for servers that have never answered. Each core counts only its own servers. In a cluster, only the limit
   * for an IP address is exact, because all servers at one address belong to the same core.
   */
  readonly #unconfirmed: UnconfirmedServers;
  readonly #refusals: Record<Limit, number> = {
    aMinute: 0,
    aDay: 0,
    aToken: 0,
    anAddress: 0,
    aNetwork: 0,
    inAll: 0,
  };
  /**
   * Counts inserts, but checks only the limits for servers that have never answered. Ignores the rates of the token.
   * Used if the core that received the fetch has already counted the insert against these rates.
   */
  readonly withoutRates: InsertCounter = {
    now: () => this.now(),
    countInsert: (key, insertedBy, address, own) => this.#countUnconfirmed(key, insertedBy, address, own),
    uncountInsert: key => this.#unconfirmed.drop(key),
  };

  constructor(rates: InsertRates, unconfirmed: UnconfirmedServers) {
    this.#rates = rates;
    this.#unconfirmed = unconfirmed;
  }

  /** Number of refused inserts, keyed by the limit that was reached. */
  get refusals(): Readonly<Record<Limit, number>> {
    return this.#refusals;
  }

  now(): number {
    return this.#rates.now();
  }

  countInsert(key: string, insertedBy: string, address: string, own: boolean): InsertRefusal | boolean {
    const counted = this.#countUnconfirmed(key, insertedBy, address, own);
    if (counted !== true) return counted;
    const refusal = this.countRate(insertedBy);
    if (refusal === undefined) return true;
    this.#unconfirmed.drop(key);
    return refusal;
  }

  uncountInsert(key: string, insertedBy: string, at: number): void {
    this.#unconfirmed.drop(key);
    this.#rates.uncountInsert(insertedBy, at);
  }

  /**
   * Counts an insert against the rates of its token. Used for a server that another core owns. Returns the refusal if a
   * rate is reached.
   */
  countRate(insertedBy: string): InsertRefusal | undefined {
    const tooMany = this.#rates.countInsert(insertedBy);
    return tooMany && this.#refuse(tooMany);
  }

  /**
   * Undoes one call of `countRate` at the time `at`. Call this method if the core that owns the server did not insert
   * the server.
   */
  uncountRate(insertedBy: string, at: number): void {
    this.#rates.uncountInsert(insertedBy, at);
  }

  #countUnconfirmed(key: string, insertedBy: string, address: string, own: boolean): InsertRefusal | boolean {
    // If a concurrent request is inserting the same server, that request has already counted the server.
    if (insertedBy === OPERATOR || this.#unconfirmed.has(key)) return false;
    const full = this.#unconfirmed.addWithinLimits(key, insertedBy, address, own);
    return full === undefined || this.#refuse(full);
  }

  #refuse(limit: Limit): InsertRefusal {
    this.#refusals[limit]++;
    return REFUSALS[limit];
  }
}
