import { BitWriter, CorruptHourError, zigzag } from './bit-stream.ts';
import type { SealedHour } from './history-store.ts';
import {
  ESCAPE,
  HOUR_S,
  HourCursor,
  MAX_COUNT,
  MAX_MINUTES,
  ONLINE,
  RUN_AFTER,
  SECOND_BITS,
  STATES,
} from './hour-cursor.ts';
import type { Sample } from './sample.ts';

/*
 * Encodes the samples (results of probes) that one server has in one hour as a stream of bits.
 * docs/decisions/0024-the-hour-in-the-record.md compares this coding with others.
 */

/*
 * Times in the coded samples are seconds since a full hour. The samples of an hour can begin at any minute, for example
 * at 13:40. Their times then count from the previous full hour, 13:00, and the history stores them under 13:00.
 */

/*
 * The first sample of an hour is stored completely. The next samples are predicted: one probe interval later, with the
 * same fields. A sample that equals its prediction is called a repeated sample, and usually takes one bit.
 */

/*
 * Grammar of the coded samples of one hour. `*`: any number of times; `|`: or; `[...]`: only for the state online.
 * `gamma` and `signed` are codes for numbers.
 *
 *   hour   = second(13 bits) fields sample* end
 *   sample = gamma(0)                    a repeated sample
 *          | gamma(code of a difference) only the number of players differs from the prediction
 *          | gamma(3) time (0 | 1 fields) all other samples (long form); 0: the fields are as predicted
 *   time   = 0 | 1 second(13 bits)       0: the time is as predicted
 *   fields = gamma(state) signed(minutes) [signed(players) signed(maxPlayers) signed(bots)]
 *   end    = a bit that is set, and zeros up to the end of the byte
 */

/*
 * Terms in the grammar of the coded samples:
 * - `gamma(n)`: the number n + 1 in the Elias-gamma code. Small numbers take few bits.
 * - `signed(n)`: a positive or negative number, as gamma of its zigzag code. A `signed` field is the change since the
 *   last sample that had this field.
 * - `state`: index of online, offline or unknown. `minutes`: the probe interval.
 * - After three repeated samples in a row, gamma(number of further repeated samples) follows.
 */

const HOUR_MS = HOUR_S * 1_000;
/**
 * If the time of a sample differs from the predicted time by at most this number of seconds, the predicted time is
 * stored. The predicted time is one probe interval after the previous sample.
 */
const NEAR_S = 15;
/**
 * Minimum time between two samples of a server with the same state, such as `online`, in seconds. A sample that follows
 * sooner is dropped.
 */
const APART_S = 45;
/** Maximum length of the coded samples of an hour, bytes. Samples that would make the hour longer are dropped. */
export const MAX_HOUR_BYTES = 240;
/** Maximum length of one coded sample, bytes. If the sample begins in the middle of a byte, the whole byte counts. */
const MAX_SAMPLE_BYTES = 32;
/** A sample is valid for one and a half probe intervals: this number of ms for each minute of the probe interval. */
const HOLD_MS = 90_000;
/**
 * Length in bytes of the hour number (number of calendar hours since the Unix epoch). The coded samples of an
 * unfinished hour begin with this number.
 */
const NUMBER_BYTES = 3;

/** Coded form of an hour that has no samples: an empty buffer. */
export const NO_HOUR: Buffer = Buffer.alloc(0);

// All functions in this file share one `HourCursor` and one `BitWriter`, to avoid new objects in each call.
const cursor = new HourCursor();
const writer = new BitWriter(MAX_SAMPLE_BYTES);

/**
 * Returns the full hour (Unix ms) under which the history stores a sample from the time `at`. `phase`: how long after a
 * full hour the server's hours begin, ms. With a phase of 40 minutes, an hour lasts from 13:40 to 14:40, so a sample
 * from 14:30 is stored under 13:00.
 */
export function hourOf(at: number, phase: number): number {
  return Math.floor((at - phase) / HOUR_MS) * HOUR_MS;
}

/**
 * Returns the full hour (Unix ms) under which the history stores the coded samples `open`. For samples from 13:40 to
 * 14:40, this is 13:00. `open` contains at least one sample.
 */
export function calendarHourOf(open: Uint8Array): number {
  return ((open[0] ?? 0) | ((open[1] ?? 0) << 8) | ((open[2] ?? 0) << 16)) * HOUR_MS;
}

/**
 * Returns the samples of an unfinished hour in the form that the history stores. `open`: the coded samples of this
 * hour, at least one.
 */
export function sealedHour(open: Uint8Array): SealedHour {
  const samples = Buffer.from(open.buffer, open.byteOffset + NUMBER_BYTES, open.length - NUMBER_BYTES);
  return { hour: calendarHourOf(open), samples };
}

/**
 * Begins a new hour: returns the coded samples of an hour that contains only this sample. `phase`: how long after a
 * full hour the server's hours begin, ms.
 */
export function beginHour(sample: Sample, phase: number): Buffer {
  const hour = hourOf(sample.at, phase);
  cursor.reset();
  writer.start(0, 0);
  writer.writeBits(Math.floor((sample.at - hour) / 1_000), SECOND_BITS);
  writeFields(fieldsOf(sample));
  const tail = writer.finish();
  const open = Buffer.allocUnsafe(NUMBER_BYTES + tail);
  open.writeUIntLE(hour / HOUR_MS, 0, NUMBER_BYTES);
  writer.copyTo(open, NUMBER_BYTES, tail);
  return open;
}

/**
 * Appends a sample to `open`, the coded samples of the current hour of a server. Returns `open` unchanged if the hour
 * is full, or if the sample comes too soon after the previous one. Throws CorruptHourError if `open` is damaged.
 * `phase`: how long after a full hour the server's hours begin, ms.
 */
export function appendSample(open: Uint8Array, sample: Sample, phase: number): Uint8Array {
  walkToEnd(open);
  const fields = fieldsOf(sample);
  const second = Math.floor((sample.at - calendarHourOf(open)) / 1_000);
  const passed = second - cursor.second;
  // Drops a sample less than 45 seconds after the previous sample if both have the same state. A sample with a new
  // state is dropped only if its time is more than 15 seconds before the stored time of the previous sample. A smaller
  // step back is normal, because the stored time is rounded.
  if (passed < (fields.state === cursor.state ? APART_S : -NEAR_S)) return open;
  const predicted = cursor.second + cursor.minutes * 60;
  const end = phase / 1_000 + HOUR_S;
  if (Math.abs(second - predicted) <= NEAR_S && predicted < end) return appended(open, fields, predicted);
  // The stored time of the previous sample is rounded, so it can be later than the time of the new sample. In this
  // case, the new sample is stored one second after the previous one.
  const stored = Math.max(second, cursor.second + 1);
  return stored < end ? appended(open, fields, stored) : open;
}

/**
 * Decodes the samples of a server from one hour, the oldest first. Each sample is newer than the previous sample.
 * Throws CorruptHourError if the bytes are not the samples of an hour.
 */
export function decodeHour({ hour, samples }: SealedHour): Sample[] {
  const decoded: Sample[] = [];
  cursor.open(samples, 0);
  do {
    const isOnline = cursor.state === ONLINE;
    decoded.push({
      at: hour + cursor.second * 1_000,
      state: STATES[cursor.state] ?? 'unknown',
      players: isOnline ? ofCount(cursor.players) : undefined,
      maxPlayers: isOnline ? ofCount(cursor.maxPlayers) : undefined,
      bots: isOnline ? cursor.bots : 0,
      holdMs: cursor.minutes * HOLD_MS,
    });
  } while (cursor.next());
  return decoded;
}

/** Decodes the samples of a server from one hour. Returns an empty list if the bytes are damaged. */
export function samplesOf(sealed: SealedHour): Sample[] {
  try {
    return decodeHour(sealed);
  } catch (error) {
    if (error instanceof CorruptHourError) return [];
    throw error;
  }
}

/**
 * Checks `open`: the coded samples of a server in the current, unfinished hour. Throws CorruptHourError if the bytes
 * are damaged. An empty `open` is valid: the server has no samples in this hour.
 */
export function checkOpenHour(open: Uint8Array): void {
  if (open.length === 0) return;
  if (open.length > NUMBER_BYTES + MAX_HOUR_BYTES)
    throw new CorruptHourError(`the samples of an hour take ${open.length} bytes`);
  walkToEnd(open);
}

/** Moves `cursor` to the last sample in `open`, the coded samples of the current hour of a server. */
function walkToEnd(open: Uint8Array): void {
  cursor.open(open, NUMBER_BYTES);
  while (cursor.next()) cursor.skipRun();
}

/** The fields of a sample, except for its time, as numbers. HourCursor uses the same numbers. */
type Fields = Pick<HourCursor, 'state' | 'minutes' | 'players' | 'maxPlayers' | 'bots'>;

/**
 * Returns the fields of a sample. If the server is not online, repeats the numbers of players, maximum players and bots
 * of the previous sample, so that they count as unchanged.
 */
function fieldsOf({ state, players, maxPlayers, bots, holdMs }: Sample): Fields {
  const isOnline = state === 'online';
  return {
    state: STATES.indexOf(state),
    minutes: Math.min(Math.max(Math.ceil(holdMs / HOLD_MS), 1), MAX_MINUTES),
    players: isOnline ? toCount(players) : cursor.players,
    maxPlayers: isOnline ? toCount(maxPlayers) : cursor.maxPlayers,
    bots: isOnline ? Math.min(bots, MAX_COUNT) : cursor.bots,
  };
}

function toCount(count: number | undefined): number {
  return count === undefined ? 0 : Math.min(count, MAX_COUNT) + 1;
}

function ofCount(count: number): number | undefined {
  return count === 0 ? undefined : count - 1;
}

/**
 * Appends a sample to the coded samples of the current hour (`open`), and returns the result. Returns `open` unchanged
 * if the result would exceed MAX_HOUR_BYTES. The caller must first move `cursor` to the last sample.
 */
function appended(open: Uint8Array, fields: Fields, second: number): Uint8Array {
  const isPredicted = second === cursor.second + cursor.minutes * 60;
  const isRepeated = isPredicted && isOnlyPlayers(fields) && fields.players === cursor.players;
  const isInRun = isRepeated && cursor.repeated === RUN_AFTER;
  const bit = isInRun ? cursor.runBit : cursor.bit;
  const kept = bit >> 3;
  writer.start(open[kept] ?? 0, bit & 7);
  if (isInRun) writer.writeGamma(cursor.run + 1);
  else if (isRepeated) {
    writer.writeGamma(0);
    if (cursor.repeated === RUN_AFTER - 1) writer.writeGamma(0);
  } else if (isPredicted && isOnlyPlayers(fields)) writeDifference(fields.players - cursor.players);
  else writeEscaped(fields, second, isPredicted);
  const tail = writer.finish();
  if (kept + tail > NUMBER_BYTES + MAX_HOUR_BYTES) return open;
  const longer = Buffer.allocUnsafe(kept + tail);
  // Copies the encoded hour without the new sample (`open`) into `longer`, which is never shorter than `open`. Then
  // overwrites the bytes from the index `kept` on, because they change with the new sample.
  longer.set(open);
  writer.copyTo(longer, kept, tail);
  return longer;
}

/**
 * True if a new sample and the last coded sample have the same state, probe interval, maximum number of players and
 * number of bots. `cursor` must be at the last coded sample.
 */
function isOnlyPlayers({ state, minutes, maxPlayers, bots }: Fields): boolean {
  return (
    state === cursor.state &&
    minutes === cursor.minutes &&
    maxPlayers === cursor.maxPlayers &&
    bots === cursor.bots
  );
}

/**
 * Writes a sample in which only the number of players differs from the prediction. `difference`: change of this number,
 * never 0. The code ESCAPE begins a sample in long form, so it must not stand for a difference. Therefore the code of a
 * difference is increased by 1 if it is equal to or above ESCAPE.
 */
function writeDifference(difference: number): void {
  const code = zigzag(difference);
  writer.writeGamma(code < ESCAPE ? code : code + 1);
}

function writeEscaped(fields: Fields, second: number, isPredicted: boolean): void {
  writer.writeGamma(ESCAPE);
  writer.writeBits(isPredicted ? 0 : 1, 1);
  if (!isPredicted) writer.writeBits(second, SECOND_BITS);
  const isChanged = !isOnlyPlayers(fields) || fields.players !== cursor.players;
  writer.writeBits(isChanged ? 1 : 0, 1);
  if (isChanged) writeFields(fields);
}

function writeFields({ state, minutes, players, maxPlayers, bots }: Fields): void {
  writer.writeGamma(state);
  writer.writeSigned(minutes - cursor.minutes);
  if (state !== ONLINE) return;
  writer.writeSigned(players - cursor.players);
  writer.writeSigned(maxPlayers - cursor.maxPlayers);
  writer.writeSigned(bots - cursor.bots);
}
