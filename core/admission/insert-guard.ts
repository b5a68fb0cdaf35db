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

/** Counts inserts of servers against limits. */
export interface InsertCounter {
  /**
   * Counts a server before its insert. Returns true if the server was counted, false if no limit applies to it, or the
   * refusal if a limit is reached.
   *
   * `insertedBy`: id of the token, or OPERATOR. `address`: IP address of the server. `own`: true if the address is in
   * one of the operator's own networks.
   */
  countInsert(key: string, insertedBy: string, address: string, own: boolean): InsertRefusal | boolean;
  /** Undoes `countInsert`. Call this if the server was counted but its insert failed. */
  uncountInsert(key: string, insertedBy: string): void;
}

/**
 * Checks inserts of servers against two kinds of limits:
 *
 * - Insert rates of a token: its inserts per minute and per day.
 * - Number of unconfirmed servers (servers that have never answered): for each token, for each IP address, for each
 *   network, and in all.
 *
 * If a fetch inserts a server in a cluster, the core that receives the fetch counts the insert rates (`countRate`). The
 * core that owns the new server counts it as unconfirmed (`withoutRates`).
 *
 * Each core counts for itself. Therefore a cluster of n cores allows up to n times as many inserts as one core. The
 * limit for an IP address is exact for servers that are known by this address, because one core owns all of them. A
 * server that is known by a host name can belong to another core.
 */
export class InsertGuard implements InsertCounter {
  readonly #rates: InsertRates;
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
   * Counts inserts against the limits on servers that have never answered. Does not count them against the rates of the
   * token (inserts per minute and per day).
   */
  readonly withoutRates: InsertCounter = {
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

  countInsert(key: string, insertedBy: string, address: string, own: boolean): InsertRefusal | boolean {
    const counted = this.#countUnconfirmed(key, insertedBy, address, own);
    if (counted !== true) return counted;
    const refusal = this.countRate(insertedBy);
    if (refusal === undefined) return true;
    this.#unconfirmed.drop(key);
    return refusal;
  }

  uncountInsert(key: string, insertedBy: string): void {
    this.#unconfirmed.drop(key);
    this.#rates.uncountInsert(insertedBy);
  }

  /**
   * Counts an insert against the rates of its token (inserts per minute and per day). Used for a server that another
   * core owns. Returns the refusal if a rate is reached.
   */
  countRate(insertedBy: string): InsertRefusal | undefined {
    const tooMany = this.#rates.countInsert(insertedBy);
    return tooMany && this.#refuse(tooMany);
  }

  /** Undoes `countRate`. Call this method if the core that owns the server did not insert the server. */
  uncountRate(insertedBy: string): void {
    this.#rates.uncountInsert(insertedBy);
  }

  #countUnconfirmed(key: string, insertedBy: string, address: string, own: boolean): InsertRefusal | boolean {
    // If a concurrent request is inserting the same server, that request has already counted the server. Therefore this
    // call does not count it again.
    if (insertedBy === OPERATOR || this.#unconfirmed.has(key)) return false;
    const full = this.#unconfirmed.addWithinLimits(key, insertedBy, address, own);
    return full === undefined || this.#refuse(full);
  }

  #refuse(limit: Limit): InsertRefusal {
    this.#refusals[limit]++;
    return REFUSALS[limit];
  }
}
