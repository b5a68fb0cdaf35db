import type { InsertLimits, InsertRates } from './insert-rates.ts';
import type { UnconfirmedLimits, UnconfirmedServers } from './unconfirmed-servers.ts';

/** `insertedBy` of servers that the operator added: no limit counts them, and they are kept though they never answer. */
export const OPERATOR = 'admin';

/** Why a server was not inserted; an entry of `_meta.invalid_servers` (CONTRACT). */
export interface InsertRefusal {
  reason: 'insert_quota';
  /** For people: which limit was reached and when to ask again. */
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

/** Checks inserts against the limits per token (a minute, a day) and against those on servers that never answered. */
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

  /** Number of refused inserts by the limit that refused them. */
  get refusals(): Readonly<Record<Limit, number>> {
    return this.#refusals;
  }

  /**
   * Counts a server before its insert. Returns true if it was counted, false if no limit applies to it, or the refusal.
   * `address`: its IP address; `own`: it is in one of the operator's own networks.
   */
  countInsert(key: string, insertedBy: string, address: string, own: boolean): InsertRefusal | boolean {
    // A server that is in `#unconfirmed` already is being inserted by another request.
    if (insertedBy === OPERATOR || this.#unconfirmed.has(key)) return false;
    const full = this.#unconfirmed.addWithinLimits(key, insertedBy, address, own);
    const tooMany = full ?? this.#rates.countInsert(insertedBy);
    if (tooMany === undefined) return true;
    if (!full) this.#unconfirmed.drop(key);
    this.#refusals[tooMany]++;
    return REFUSALS[tooMany];
  }

  /** Undoes `countInsert` for a server that was not inserted after all. */
  uncountInsert(key: string, insertedBy: string): void {
    this.#unconfirmed.drop(key);
    this.#rates.uncountInsert(insertedBy);
  }
}
