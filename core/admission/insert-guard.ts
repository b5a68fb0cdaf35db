import type { InvalidPair } from '../servers/pair-check.ts';
import type { InsertLimits, InsertRates } from './insert-rates.ts';
import type { UnconfirmedLimits, UnconfirmedServers } from './unconfirmed-servers.ts';

/** Who inserts without limits, and whose servers are kept though they never answer: `ServerRecord.insertedBy`. */
export const OPERATOR = 'admin';

const refused = (message: string): InvalidPair => ({ reason: 'insert_quota', message });

type Limit = keyof InsertLimits | keyof UnconfirmedLimits;

const REFUSALS: Record<Limit, InvalidPair> = {
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

/** Lets servers be inserted or says why not: how many a token may in a minute and a day, and how many may never have answered. */
export class InsertGuard {
  readonly #rates: InsertRates;
  readonly #unproven: UnconfirmedServers;
  readonly #refusals: Record<Limit, number> = {
    aMinute: 0,
    aDay: 0,
    aToken: 0,
    anAddress: 0,
    aNetwork: 0,
    inAll: 0,
  };

  constructor(rates: InsertRates, unproven: UnconfirmedServers) {
    this.#rates = rates;
    this.#unproven = unproven;
  }

  /** Inserts refused so far, by the limit they met. */
  get refusals(): Readonly<Record<Limit, number>> {
    return this.#refusals;
  }

  /**
   * Counts a server that is to be inserted, or says why it may not be; true where it was counted, false where that is
   * not needed. `address`: its IP address; `own`: on a network of the operator's.
   */
  take(key: string, insertedBy: string, address: string, own: boolean): InvalidPair | boolean {
    // Another request is inserting it.
    if (insertedBy === OPERATOR || this.#unproven.has(key)) return false;
    const full = this.#unproven.take(key, insertedBy, address, own);
    const tooMany = full ?? this.#rates.take(insertedBy);
    if (tooMany === undefined) return true;
    if (!full) this.#unproven.drop(key);
    this.#refusals[tooMany]++;
    return REFUSALS[tooMany];
  }

  /** A server that was counted was not inserted after all. */
  giveBack(key: string, insertedBy: string): void {
    this.#unproven.drop(key);
    this.#rates.giveBack(insertedBy);
  }
}
