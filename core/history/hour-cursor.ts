import { BitReader, CorruptHourError, ofZigzag } from './bit-stream.ts';
import type { Sample } from './sample.ts';

/** Length of an hour in seconds. */
export const HOUR_S = 3_600;
/**
 * All stored times of samples (probe results) are less than this, in seconds. The hours of a server can begin at any
 * minute, but times count from the previous full hour. For example, the times in an hour from 13:40 to 14:40 count from
 * 13:00.
 */
const REACH_S = 2 * HOUR_S;
/** Width of the field that contains the time of a sample, in bits. The time is in seconds, and less than two hours. */
export const SECOND_BITS = 13;
/**
 * The possible states of a sample. Their order must not change, because a stored sample contains the index of its state
 * in this list.
 */
export const STATES: readonly Sample['state'][] = ['online', 'offline', 'unknown'];
/** Index of the state `online` in STATES. */
export const ONLINE = 0;
/** Largest number of players that a sample can contain. The same limit applies to maximum players and bots. */
export const MAX_COUNT = 2 ** 23 - 2;
/** Maximum probe interval in a stored sample, in minutes: one day. A longer interval is stored as one day. */
export const MAX_MINUTES = 1_440;
/**
 * Number of repeated samples in a row that are stored one by one. After them, only the number of further repeated
 * samples is stored (run-length coding). A sample is repeated if it comes one probe interval after the previous sample
 * and equals it.
 */
export const RUN_AFTER = 3;
/**
 * Code that begins the long form of a sample in the encoded history. There are two short forms: for repeated samples,
 * and for samples in which only the number of players differs. All other samples have the long form.
 */
export const ESCAPE = 3;

/**
 * Walks through the encoded samples of an hour (hour-coding.ts). After each step, the fields of the cursor contain one
 * sample.
 */
export class HourCursor {
  /**
   * Time of the sample, in seconds. The hours of a server can begin at any minute, but times count from the previous
   * full hour. For example, the times in an hour from 13:40 to 14:40 count from 13:00.
   */
  second = 0;
  /** Probe interval of the server when the sample was taken, minutes. */
  minutes = 1;
  /** State of the sample, as an index of the list STATES. */
  state = ONLINE;
  /**
   * Number of players plus one; 0 if the number is unknown. Only samples of an online server contain it. After any
   * other sample, this field keeps the value of the last online sample.
   */
  players = 0;
  /** Maximum number of players, coded like `players`: the number plus one, or 0 if unknown. */
  maxPlayers = 0;
  /** Number of bots in the last online sample. */
  bots = 0;
  /**
   * Number of repeated samples in a row so far, but never more than RUN_AFTER. A sample is repeated if it equals the
   * previous one. `run` counts the repeated samples after the first RUN_AFTER.
   */
  repeated = 0;
  /**
   * Number of repeated samples that follow the first RUN_AFTER repeated samples in a row. The encoded hour contains
   * only their number, not the samples themselves.
   */
  run = 0;
  /**
   * Position of the number `run` in the encoded hour, as the index of its first bit. `run` is the number of repeated
   * samples that are not stored one by one.
   */
  runBit = 0;
  readonly #reader = new BitReader();
  #left = 0;

  /** Position of the bit after the last encoded sample. Valid when `next` has returned false. */
  get bit(): number {
    return this.#reader.bit;
  }

  /**
   * Sets the fields of the cursor to their start values. The first sample of an hour is stored as differences to the
   * start values.
   */
  reset(): void {
    this.second = 0;
    this.minutes = 1;
    this.state = ONLINE;
    this.players = 0;
    this.maxPlayers = 0;
    this.bots = 0;
    this.repeated = 0;
    this.#left = 0;
  }

  /**
   * Goes to the first sample of the hour. `start`: index of the first byte of the samples in `bytes`. Throws
   * CorruptHourError if the bytes are damaged.
   */
  open(bytes: Uint8Array, start: number): void {
    this.reset();
    this.#reader.open(bytes, start);
    this.second = this.#reader.readBits(SECOND_BITS);
    this.#readFields();
    if (this.second >= REACH_S) throw new CorruptHourError('a sample is not in its hour');
  }

  /** Goes to the next sample. Returns false after the last sample. Throws CorruptHourError if the bytes are damaged. */
  next(): boolean {
    if (this.#left > 0) {
      this.#left--;
      this.second += this.minutes * 60;
      return true;
    }
    const reader = this.#reader;
    if (reader.bit === reader.end) return false;
    const code = reader.readGamma();
    const before = this.second;
    this.second += this.minutes * 60;
    if (code === 0) this.#readRepeated();
    else this.#readChange(code, before);
    if (this.second + this.#left * this.minutes * 60 >= REACH_S)
      throw new CorruptHourError('a sample is not in its hour');
    return true;
  }

  /** If the cursor is within a run of repeated samples (equal probe results), goes to the last sample of the run. */
  skipRun(): void {
    this.second += this.#left * this.minutes * 60;
    this.#left = 0;
  }

  #readRepeated(): void {
    if (this.repeated === RUN_AFTER) throw new CorruptHourError('a run of repeated samples has two lengths');
    if (++this.repeated < RUN_AFTER) return;
    this.runBit = this.#reader.bit;
    this.run = this.#reader.readGamma();
    this.#left = this.run;
  }

  #readChange(code: number, before: number): void {
    this.repeated = 0;
    if (code !== ESCAPE) {
      if (this.state !== ONLINE) throw new CorruptHourError('a server has players while it is not online');
      this.players = checked(this.players + ofZigzag(code > ESCAPE ? code - 1 : code), MAX_COUNT + 1);
      return;
    }
    if (this.#reader.readBits(1) === 1) {
      this.second = this.#reader.readBits(SECOND_BITS);
      if (this.second <= before) throw new CorruptHourError('a sample is not newer than the one before it');
    }
    if (this.#reader.readBits(1) === 1) this.#readFields();
  }

  #readFields(): void {
    const reader = this.#reader;
    this.state = checked(reader.readGamma(), STATES.length - 1);
    this.minutes = checked(this.minutes + reader.readSigned() - 1, MAX_MINUTES - 1) + 1;
    if (this.state !== ONLINE) return;
    this.players = checked(this.players + reader.readSigned(), MAX_COUNT + 1);
    this.maxPlayers = checked(this.maxPlayers + reader.readSigned(), MAX_COUNT + 1);
    this.bots = checked(this.bots + reader.readSigned(), MAX_COUNT);
  }
}

/** Returns `value`. Throws CorruptHourError if it is not from 0 to `max`. */
function checked(value: number, max: number): number {
  if (value < 0 || value > max) throw new CorruptHourError(`a field of a sample has the value ${value}`);
  return value;
}
