const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;
const HOURS = 24;

/** Inserts of one token. */
export interface InsertLimits {
  aMinute: number;
  /** In 24 hours, in steps of one. */
  aDay: number;
}

interface Count {
  minute: number;
  inMinute: number;
  /** By hour of the day; those of the last 24 hours. */
  hours: Uint32Array;
  hour: number;
}

/**
 * How many servers each token has inserted, this minute and within the last 24 hours; a restart forgets it. Tokens are made
 * by the operator alone, so there are no more counts than those.
 */
export class InsertRates {
  readonly #limits: InsertLimits;
  readonly #now: () => number;
  readonly #counts = new Map<string, Count>();

  constructor(limits: InsertLimits, now: () => number) {
    this.#limits = limits;
    this.#now = now;
  }

  /** Counts one more insert; where it may not be, says of what there are too many. */
  countInsert(token: string): keyof InsertLimits | undefined {
    const count = this.#countOf(token);
    if (count.inMinute >= this.#limits.aMinute) return 'aMinute';
    if (count.hours.reduce((sum, inserts) => sum + inserts, 0) >= this.#limits.aDay) return 'aDay';
    count.inMinute++;
    this.#changeHour(count, 1);
    return undefined;
  }

  /** Takes one back: it was not inserted after all. */
  uncountInsert(token: string): void {
    const count = this.#countOf(token);
    count.inMinute = Math.max(0, count.inMinute - 1);
    if ((count.hours[count.hour % HOURS] ?? 0) > 0) this.#changeHour(count, -1);
  }

  #changeHour(count: Count, by: 1 | -1): void {
    const at = count.hour % HOURS;
    count.hours[at] = (count.hours[at] ?? 0) + by;
  }

  #countOf(token: string): Count {
    const now = this.#now();
    const [minute, hour] = [Math.floor(now / MINUTE_MS), Math.floor(now / HOUR_MS)];
    let count = this.#counts.get(token);
    if (!count) {
      count = { minute, inMinute: 0, hours: new Uint32Array(HOURS), hour };
      this.#counts.set(token, count);
    }
    if (minute !== count.minute) {
      count.minute = minute;
      count.inMinute = 0;
    }
    // A clock set back, or a day without inserts, leaves nothing that counts.
    const passed = hour - count.hour;
    if (passed < 0 || passed >= HOURS) count.hours.fill(0);
    else for (let i = 1; i <= passed; i++) count.hours[(count.hour + i) % HOURS] = 0;
    count.hour = hour;
    return count;
  }
}
