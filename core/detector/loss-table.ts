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

/**
 * Packets sent and lost by key (an IPv4 address, a network, a hash of anything else), each count fading. Open addressing in
 * typed arrays, 24 bytes an entry; bounded: at `most` entries the old ones are dropped, and while none is old new keys stay
 * unknown.
 */
export class LossTable {
  readonly #most: number;
  #taken = new Uint8Array(FIRST_ENTRIES);
  #keys = new Int32Array(FIRST_ENTRIES);
  #sent = new Float32Array(FIRST_ENTRIES);
  #lost = new Float32Array(FIRST_ENTRIES);
  /** When an entry last faded, ms since `#start`. */
  #at = new Float64Array(FIRST_ENTRIES);
  #silence = new Float32Array(FIRST_ENTRIES);
  #roundTrip = new Float32Array(FIRST_ENTRIES);
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
    const mask = this.#keys.length - 1;
    for (let i = placeOf(key, mask); this.#taken[i] === 1; i = (i + 1) & mask)
      if (this.#keys[i] === key) return i;
    return NONE;
  }

  /** The entry of a key, made if need be and faded to `now` (ms); -1 if there is no room. */
  enter(key: number, now: number): number {
    let entry = this.find(key);
    if (entry === NONE) {
      if (this.#size * 2 >= this.#keys.length && !this.#makeRoom(now)) return NONE;
      entry = this.#add(key, now);
    }
    this.#fade(entry, now);
    return entry;
  }

  /** Counts packets, of which some were lost. */
  count(entry: number, sent: number, lost: number): void {
    this.#sent[entry] = this.sent(entry) + sent;
    this.#lost[entry] = this.lost(entry) + lost;
  }

  sent(entry: number): number {
    return this.#sent[entry] ?? 0;
  }

  lost(entry: number): number {
    return this.#lost[entry] ?? 0;
  }

  /** The longest silence that was recovered from, ms, fading. */
  silence(entry: number): number {
    return this.#silence[entry] ?? 0;
  }

  noteSilence(entry: number, ms: number): void {
    if (ms > this.silence(entry)) this.#silence[entry] = ms;
  }

  /** The smoothed round trip, ms; 0 if none was measured. */
  roundTrip(entry: number): number {
    return this.#roundTrip[entry] ?? 0;
  }

  noteRoundTrip(entry: number, ms: number): void {
    const before = this.roundTrip(entry);
    this.#roundTrip[entry] = before === 0 ? Math.max(ms, 1) : before + (ms - before) / 4;
  }

  #fade(entry: number, now: number): void {
    const passed = now - (this.#at[entry] ?? now);
    if (passed === 0) return;
    this.#at[entry] = now;
    // A clock that was set back fades nothing.
    if (passed < 0) return;
    const left = Math.exp(-passed / LOSS_FADES_MS);
    this.#sent[entry] = this.sent(entry) * left;
    this.#lost[entry] = this.lost(entry) * left;
    if (this.silence(entry) > 0)
      this.#silence[entry] = this.silence(entry) * Math.exp(-passed / SILENCE_FADES_MS);
  }

  #add(key: number, now: number): number {
    const mask = this.#keys.length - 1;
    let i = placeOf(key, mask);
    while (this.#taken[i] === 1) i = (i + 1) & mask;
    this.#taken[i] = 1;
    this.#keys[i] = key;
    this.#sent[i] = 0;
    this.#lost[i] = 0;
    this.#at[i] = now;
    this.#silence[i] = 0;
    this.#roundTrip[i] = 0;
    this.#size++;
    return i;
  }

  /** Drops what is old, and grows if that was not enough; false if there is no room to be had. */
  #makeRoom(now: number): boolean {
    const { length } = this.#keys;
    const sinceFull = now - this.#fullAt;
    if (sinceFull >= 0 && sinceFull < FULL_MS) return false;
    let fresh = 0;
    for (let i = 0; i < length; i++) if (this.#taken[i] === 1 && now - (this.#at[i] ?? 0) < OLD_MS) fresh++;
    const largest = length >= this.#most * 2;
    if (largest && fresh > this.#most * WORTH_SHARE) {
      this.#fullAt = now;
      return false;
    }
    this.#rebuild(largest || fresh * 4 <= length ? length : length * 2, now);
    return true;
  }

  #rebuild(length: number, now: number): void {
    const old = {
      taken: this.#taken,
      keys: this.#keys,
      sent: this.#sent,
      lost: this.#lost,
      at: this.#at,
      silence: this.#silence,
      roundTrip: this.#roundTrip,
    };
    this.#taken = new Uint8Array(length);
    this.#keys = new Int32Array(length);
    this.#sent = new Float32Array(length);
    this.#lost = new Float32Array(length);
    this.#at = new Float64Array(length);
    this.#silence = new Float32Array(length);
    this.#roundTrip = new Float32Array(length);
    this.#size = 0;
    for (let i = 0; i < old.keys.length; i++) {
      if (old.taken[i] !== 1 || now - (old.at[i] ?? 0) >= OLD_MS) continue;
      const entry = this.#add(old.keys[i] ?? 0, old.at[i] ?? 0);
      this.#sent[entry] = old.sent[i] ?? 0;
      this.#lost[entry] = old.lost[i] ?? 0;
      this.#silence[entry] = old.silence[i] ?? 0;
      this.#roundTrip[entry] = old.roundTrip[i] ?? 0;
    }
  }
}

/** Fibonacci hashing: addresses of one network must not lie side by side. */
function placeOf(key: number, mask: number): number {
  const mixed = Math.imul(key, 0x9e3779b1);
  return (mixed ^ (mixed >>> 15)) & mask;
}
