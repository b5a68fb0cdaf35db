/** Counts fade with this time constant, ms: loss of some minutes ago says little about now. */
export const LOSS_FADES_MS = 90_000;
/** What a host recovered from fades with this one. */
const SILENCE_FADES_MS = 3 * 3_600_000;
/** An entry untouched for so long is worth less than the room it takes, ms. */
const OLD_MS = 15 * 60_000;
/** To look for old entries costs as much as they are: a full table does so this often, ms, and drops an eighth or none. */
const FULL_MS = 10_000;
const WORTH_SHARE = 7 / 8;
const FIRST_ENTRIES = 1024;
const NONE = -1;

/** An entry is so many fields of 32 bits, side by side: a look at one meets one cache line, in an array each it met six. */
const FIELDS = 6;
/** Whole numbers. Times are counted in ticks, and that of an empty entry is 0. */
const KEY = 0;
const AT = 1;
/** Floating point numbers. */
const SENT = 2;
const LOST = 3;
const SILENCE = 4;
const ROUND_TRIP = 5;
/** The time that 32 bits count in, ms: they hold a year of it, and wrap around. */
const TICK_MS = 16;

/**
 * Packets sent and lost by key (an IPv4 address, a network, a hash of anything else), each count fading. Open addressing in
 * one buffer, 24 bytes an entry; bounded: at `most` entries the old ones are dropped, and while none is old new keys stay
 * unknown.
 */
export class LossTable {
  readonly #most: number;
  #capacity = FIRST_ENTRIES;
  #integers = new Int32Array(FIRST_ENTRIES * FIELDS);
  #floats = new Float32Array(this.#integers.buffer);
  #size = 0;
  /** When it was last found to be full of fresh entries. */
  #fullAt = Number.NEGATIVE_INFINITY;

  /** `most`: entries kept, a power of two. */
  constructor(most: number) {
    this.#most = most;
  }

  get size(): number {
    return this.#size;
  }

  /** The entry of a key, -1 if there is none; good until the next `enter`. */
  find(key: number): number {
    const entry = this.#placeOf(key);
    return this.#integers[entry * FIELDS + AT] === 0 ? NONE : entry;
  }

  /** The entry of a key, made if need be and faded to `now` (ms); -1 if there is no room. */
  enter(key: number, now: number): number {
    let entry = this.#placeOf(key);
    if (this.#integers[entry * FIELDS + AT] === 0) {
      if (this.#size * 2 >= this.#capacity) {
        if (!this.#makeRoom(now)) return NONE;
        entry = this.#placeOf(key);
      }
      this.#integers[entry * FIELDS + KEY] = key;
      this.#integers[entry * FIELDS + AT] = ticksOf(now);
      this.#size++;
    }
    this.#fade(entry, now);
    return entry;
  }

  /** Counts packets, of which some were lost. */
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

  /** The longest silence that was recovered from, ms, fading. */
  silence(entry: number): number {
    return this.#floats[entry * FIELDS + SILENCE] ?? 0;
  }

  noteSilence(entry: number, ms: number): void {
    if (ms > this.silence(entry)) this.#floats[entry * FIELDS + SILENCE] = ms;
  }

  /** The smoothed round trip, ms; 0 if none was measured. */
  roundTrip(entry: number): number {
    return this.#floats[entry * FIELDS + ROUND_TRIP] ?? 0;
  }

  noteRoundTrip(entry: number, ms: number): void {
    const before = this.roundTrip(entry);
    this.#floats[entry * FIELDS + ROUND_TRIP] = before === 0 ? Math.max(ms, 1) : before + (ms - before) / 4;
  }

  /** NetworkKeys a key is, or belongs: its entry, or the empty one that it would take. Fibonacci hashing parts neighbours. */
  #placeOf(key: number): number {
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
    // A clock that was set back fades nothing.
    if (passed < 0) return;
    const left = Math.exp(-passed / LOSS_FADES_MS);
    this.#floats[entry * FIELDS + SENT] = this.sent(entry) * left;
    this.#floats[entry * FIELDS + LOST] = this.lost(entry) * left;
    if (this.silence(entry) > 0)
      this.#floats[entry * FIELDS + SILENCE] = this.silence(entry) * Math.exp(-passed / SILENCE_FADES_MS);
  }

  /** How long ago an entry faded last, ms. */
  #age(entry: number, now: number): number {
    return ((ticksOf(now) - (this.#integers[entry * FIELDS + AT] ?? 0)) | 0) * TICK_MS;
  }

  /** Drops what is old, and grows if that was not enough; false if there is no room to be had. */
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
      this.#integers.set(old.subarray(at, at + FIELDS), this.#placeOf(old[at + KEY] ?? 0) * FIELDS);
    }
  }
}

/** A time in ms as it is kept in 32 bits: odd, so never 0. */
function ticksOf(now: number): number {
  return Math.floor(now / TICK_MS) | 1;
}
