const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;
const HOURS = 24;

/** Limits on the number of servers that one token inserts. */
export interface InsertLimits {
  aMinute: number;
  /** Maximum number of inserts of one token within 24 hours, with a precision of one hour. */
  aDay: number;
}

interface Count {
  minute: number;
  inMinute: number;
  /** Ring buffer of the last 24 hours: the number of inserts in each hour. The index is the hour modulo 24. */
  hours: Uint32Array;
  hour: number;
}

/** Counts the inserts of each token in the current minute and in the last 24 hours. A restart resets the counts. */
export class InsertRates {
  readonly #limits: InsertLimits;
  readonly #now: () => number;
  readonly #counts = new Map<string, Count>();

  constructor(limits: InsertLimits, now: () => number) {
    this.#limits = limits;
    this.#now = now;
  }

  /** Returns the present time of the clock that the limits use, Unix ms. */
  now(): number {
    return this.#now();
  }

  /**
   * Counts one insert of a token. If a limit is reached, returns this limit and does not count the insert; else returns
   * undefined.
   */
  countInsert(token: string): keyof InsertLimits | undefined {
    const count = this.#countOf(token);
    if (count.inMinute >= this.#limits.aMinute) return 'aMinute';
    if (count.hours.reduce((sum, inserts) => sum + inserts, 0) >= this.#limits.aDay) return 'aDay';
    count.inMinute++;
    const at = count.hour % HOURS;
    count.hours[at] = (count.hours[at] ?? 0) + 1;
    return undefined;
  }

  /**
   * Removes an insert that `countInsert` has counted at the time `at`. Call this method if the insert has failed. Does
   * not change the counts of later minutes and hours.
   */
  uncountInsert(token: string, at: number): void {
    const count = this.#countOf(token);
    const [minute, hour] = [Math.floor(at / MINUTE_MS), Math.floor(at / HOUR_MS)];
    if (minute === count.minute) count.inMinute = Math.max(0, count.inMinute - 1);
    const inHour = count.hours[hour % HOURS] ?? 0;
    if (hour > count.hour - HOURS && hour <= count.hour && inHour > 0) count.hours[hour % HOURS] = inHour - 1;
  }

  #countOf(token: string): Count {
    const now = this.#now();
    const [minute, hour] = [Math.floor(now / MINUTE_MS), Math.floor(now / HOUR_MS)];
    let count = this.#counts.get(token);
    if (!count) {
      count = { minute, inMinute: 0, hours: new Uint32Array(HOURS), hour };
      this.#counts.set(token, count);
    }
    if (minute > count.minute) count.inMinute = 0;
    count.minute = minute;
    // Sets the counts of the hours since the last update to 0, because the ring buffer still contains the counts of the
    // same hours of the day before.
    const passed = hour - count.hour;
    if (passed < 0) {
      // The clock was set back. All insert counts move to the current hour, so that they still count for 24 hours.
      const inserts = count.hours.reduce((sum, each) => sum + each, 0);
      count.hours.fill(0);
      count.hours[hour % HOURS] = inserts;
    } else if (passed >= HOURS) count.hours.fill(0);
    else for (let i = 1; i <= passed; i++) count.hours[(count.hour + i) % HOURS] = 0;
    count.hour = hour;
    return count;
  }
}
