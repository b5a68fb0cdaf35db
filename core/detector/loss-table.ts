/**
 * Time constant of the exponential decay of the packet counts of a host or network, ms. Packet loss of some minutes ago
 * contains little information about the current loss.
 */
export const LOSS_FADES_MS = 90_000;
/** Time constant of the exponential decay of a host's longest silent period, ms. */
const SILENCE_FADES_MS = 3 * 3_600_000;
/**
 * An entry in the table of packet losses is old if it was not used for this time, ms. The table can drop old entries.
 */
const OLD_MS = 15 * 60_000;
/**
 * Minimum time between two searches for old entries in a full table of packet losses, ms. A search drops entries only
 * if at least an eighth of the entries are old.
 */
const FULL_MS = 10_000;
const WORTH_SHARE = 7 / 8;
const FIRST_ENTRIES = 1024;
const NONE = -1;

/**
 * Number of 32-bit fields of one entry in the table of packet losses. All fields of an entry are adjacent in memory, so
 * an access touches only one cache line. Six separate arrays would cost six cache lines.
 */
const FIELDS = 6;
/**
 * Offsets of the integer fields in a table entry. KEY: key of the host or network. AT: time of the last decay of its
 * packet counts, in ticks of TICK_MS; 0 in an empty entry.
 */
const KEY = 0;
const AT = 1;
/** Offsets of the floating-point fields in an entry of the table of packet losses. */
const SENT = 2;
const LOST = 3;
const SILENCE = 4;
const ROUND_TRIP = 5;
/**
 * Length of a tick, ms. The table of packet losses stores times in ticks. With ticks of 16 ms, a 32-bit number covers
 * more than a year.
 */
const TICK_MS = 16;

/**
 * Counts the sent and the lost packets of hosts and networks, which have 32-bit keys. The counts decay exponentially,
 * so older packets count less.
 */
export class LossTable {
  readonly #most: number;
  #capacity = FIRST_ENTRIES;
  /** Hash table with open addressing, 24 bytes for each entry. */
  #integers = new Int32Array(FIRST_ENTRIES * FIELDS);
  #floats = new Float32Array(this.#integers.buffer);
  #size = 0;
  /**
   * Time of the last search that found too few old entries in a full table, ms. The next search begins at least FULL_MS
   * later.
   */
  #fullAt = Number.NEGATIVE_INFINITY;

  /** `most`: maximum number of entries (hosts and networks) in the table; a power of two. */
  constructor(most: number) {
    this.#most = most;
  }

  get size(): number {
    return this.#size;
  }

  /**
   * Returns the index of the entry of a host or network in the table of packet losses; -1 if there is none. The index
   * is valid until `enter` adds an entry.
   */
  find(key: number): number {
    const entry = this.#indexOf(key);
    return this.#integers[entry * FIELDS + AT] === 0 ? NONE : entry;
  }

  /**
   * Returns the index of the table entry of a host or network; -1 if the table is full. Creates the entry if it is
   * missing, and lets its packet counts decay until `now` (ms).
   */
  enter(key: number, now: number): number {
    let entry = this.#indexOf(key);
    if (this.#integers[entry * FIELDS + AT] === 0) {
      if (this.#size * 2 >= this.#capacity) {
        if (!this.#makeRoom(now)) return NONE;
        entry = this.#indexOf(key);
      }
      this.#integers[entry * FIELDS + KEY] = key;
      this.#integers[entry * FIELDS + AT] = ticksOf(now);
      this.#size++;
    }
    this.#fade(entry, now);
    return entry;
  }

  /**
   * Adds `sent` packets to the packet counts of a host or network; `lost` of these packets were lost. `entry`: index of
   * its table entry.
   */
  count(entry: number, sent: number, lost: number): void {
    this.#floats[entry * FIELDS + SENT] = this.sent(entry) + sent;
    this.#floats[entry * FIELDS + LOST] = this.lost(entry) + lost;
  }

  sent(entry: number): number {
    return this.#floats[entry * FIELDS + SENT] ?? 0;
  }

  lost(entry: number): number {
    return this.#floats[entry * FIELDS + LOST] ?? 0;
  }

  /**
   * Returns the longest period (ms) in which a host sent no answer, although it answered later. The value decays with
   * time.
   */
  silence(entry: number): number {
    return this.#floats[entry * FIELDS + SILENCE] ?? 0;
  }

  noteSilence(entry: number, ms: number): void {
    if (ms > this.silence(entry)) this.#floats[entry * FIELDS + SILENCE] = ms;
  }

  /**
   * Returns the time since `enter` was last called for the host or network of a table entry, ms. Negative if the clock
   * was set back.
   */
  unusedMs(entry: number, now: number): number {
    return this.#age(entry, now);
  }

  /** Returns the smoothed round-trip time of a host, ms; 0 if none was measured. */
  roundTrip(entry: number): number {
    return this.#floats[entry * FIELDS + ROUND_TRIP] ?? 0;
  }

  noteRoundTrip(entry: number, ms: number): void {
    const before = this.roundTrip(entry);
    this.#floats[entry * FIELDS + ROUND_TRIP] = before === 0 ? Math.max(ms, 1) : before + (ms - before) / 4;
  }

  /**
   * Returns the index of the table entry of a key. If the key is not stored, returns the index of the empty entry where
   * it would be stored. Fibonacci hashing spreads neighbouring keys over the table.
   */
  #indexOf(key: number): number {
    const mixed = Math.imul(key, 0x9e3779b1);
    const mask = this.#capacity - 1;
    for (let i = (mixed ^ (mixed >>> 15)) & mask; ; i = (i + 1) & mask) {
      if (this.#integers[i * FIELDS + KEY] === key || this.#integers[i * FIELDS + AT] === 0) return i;
    }
  }

  #fade(entry: number, now: number): void {
    const passed = this.#age(entry, now);
    if (passed === 0) return;
    this.#integers[entry * FIELDS + AT] = ticksOf(now);
    // The packet counts of an entry become smaller with time. They stay unchanged if the clock was set back, because
    // it is then unknown how much time has passed.
    if (passed < 0) return;
    const left = Math.exp(-passed / LOSS_FADES_MS);
    this.#floats[entry * FIELDS + SENT] = this.sent(entry) * left;
    this.#floats[entry * FIELDS + LOST] = this.lost(entry) * left;
    if (this.silence(entry) > 0)
      this.#floats[entry * FIELDS + SILENCE] = this.silence(entry) * Math.exp(-passed / SILENCE_FADES_MS);
  }

  /**
   * Returns the time since the packet counts of a table entry were last reduced (`#fade`), ms. Negative if the clock
   * was set back.
   */
  #age(entry: number, now: number): number {
    return ((ticksOf(now) - (this.#integers[entry * FIELDS + AT] ?? 0)) | 0) * TICK_MS;
  }

  /**
   * Makes room in the table of packet losses: drops old entries, and doubles the table if that is not enough. Returns
   * false if the table has its maximum size and too few entries are old.
   */
  #makeRoom(now: number): boolean {
    const sinceFull = now - this.#fullAt;
    if (sinceFull >= 0 && sinceFull < FULL_MS) return false;
    const capacity = this.#capacity;
    let fresh = 0;
    for (let entry = 0; entry < capacity; entry++)
      if (this.#integers[entry * FIELDS + AT] !== 0 && this.#age(entry, now) < OLD_MS) fresh++;
    const largest = capacity >= this.#most * 2;
    if (largest && fresh > this.#most * WORTH_SHARE) {
      this.#fullAt = now;
      return false;
    }
    this.#rebuild(largest || fresh * 4 <= capacity ? capacity : capacity * 2, now);
    return true;
  }

  #rebuild(capacity: number, now: number): void {
    const old = this.#integers;
    const fresh: number[] = [];
    for (let entry = 0; entry < this.#capacity; entry++)
      if (old[entry * FIELDS + AT] !== 0 && this.#age(entry, now) < OLD_MS) fresh.push(entry);
    this.#capacity = capacity;
    this.#integers = new Int32Array(capacity * FIELDS);
    this.#floats = new Float32Array(this.#integers.buffer);
    this.#size = fresh.length;
    for (const entry of fresh) {
      const at = entry * FIELDS;
      this.#integers.set(old.subarray(at, at + FIELDS), this.#indexOf(old[at + KEY] ?? 0) * FIELDS);
    }
  }
}

/**
 * Converts a time in ms to a 32-bit count of ticks. Makes the result odd, because the value 0 marks an empty table
 * entry.
 */
function ticksOf(now: number): number {
  return Math.floor(now / TICK_MS) | 1;
}
