import type { InsertLimits, InsertRates } from './insert-rates.ts';
import type { UnconfirmedLimits, UnconfirmedServers } from './unconfirmed-servers.ts';

/**
 * Value of `insertedBy` for servers that the operator added. No limit applies to these servers, and gsq keeps a server
 * of the operator even if the server never answers.
 */
export const OPERATOR = 'admin';

/** Reason why a server was not inserted. It becomes an entry of `_meta.invalid_servers` (CONTRACT). */
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

/**
 * Checks inserts of servers against the limits of each token per minute and per day, and against the limits on servers
 * that have never answered.
 */
export class InsertGuard {
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

  constructor(rates: InsertRates, unconfirmed: UnconfirmedServers) {
    this.#rates = rates;
    this.#unconfirmed = unconfirmed;
  }

  /** Number of refused inserts, keyed by the limit that was reached. */
  get refusals(): Readonly<Record<Limit, number>> {
    return this.#refusals;
  }

  /**
   * Counts a server before its insert. Returns true if the server was counted, false if no limit applies to it, or the
   * refusal if a limit is reached.
   *
   * `insertedBy`: id of the token, or OPERATOR. `address`: IP address of the server. `own`: true if the address is in
   * one of the operator's own networks.
   */
  countInsert(key: string, insertedBy: string, address: string, own: boolean): InsertRefusal | boolean {
    // If a concurrent request is inserting the same server, that request has already counted the server. Therefore this
    // call does not count it again.
    if (insertedBy === OPERATOR || this.#unconfirmed.has(key)) return false;
    const full = this.#unconfirmed.addWithinLimits(key, insertedBy, address, own);
    const tooMany = full ?? this.#rates.countInsert(insertedBy);
    if (tooMany === undefined) return true;
    if (!full) this.#unconfirmed.drop(key);
    this.#refusals[tooMany]++;
    return REFUSALS[tooMany];
  }

  /** Undoes `countInsert`. Call this if the server was counted but its insert failed. */
  uncountInsert(key: string, insertedBy: string): void {
    this.#unconfirmed.drop(key);
    this.#rates.uncountInsert(insertedBy);
  }
}
