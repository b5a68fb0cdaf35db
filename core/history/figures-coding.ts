import { ArithmeticDecoder, ArithmeticEncoder, Contexts } from './arithmetic-coder.ts';
import type { Figures } from './history-store.ts';

/*
 * Coding of the uptime and player figures of one server, for the quarter hours of a day or the days of a month. An
 * arithmetic coder compresses the values: equal spans take nearly no space (docs/decisions/0025-history-on-disk.md).
 */

/*
 * Coding of the uptime and player figures of one time span:
 * - The class: `unknown`, `online`, `offline` or `uncounted` (online without a number of players), if it applies to the
 *   whole span. All other spans have the class `other`.
 * - Only for the class `other`: the unknown, the offline and the uncounted time, in whole seconds.
 * - The mean (in units of 1/8) and the maximum number of players, if known.
 */

/** The history stores the mean number of players in units of 1 / MEAN_UNITS. */
const MEAN_UNITS = 8;
/** Largest number of players that the history stores. Larger numbers are stored as this number. */
const MOST_PLAYERS = 2 ** 27;

const UNKNOWN = 0;
const ONLINE = 1;
const OFFLINE = 2;
/**
 * Value of `Span.class` for a time span in which the server was always online, but never reported its number of
 * players.
 */
const UNCOUNTED = 3;
const OTHER = 4;

/**
 * Number of contexts (adaptive probabilities of the arithmetic coder) for one kind of numbers: 32 for the length of the
 * number in bits, and 32 for its second-highest bit.
 */
const NUMBER = 64;
const CLASSES = 5 * 8;
const NUMBERS = { missing: 0, offline: 1, uncounted: 2, change: 3, peak: 6 };
const PEAKS = 8;
const SIGN = CLASSES + (NUMBERS.peak + PEAKS) * NUMBER;
/**
 * Index of the first of 32 contexts (adaptive probabilities) for the low bits of numbers. Each bit position has one
 * context, which all kinds of numbers share.
 */
const PLAIN = SIGN + 3;
const CONTEXTS = PLAIN + 32;

interface BitCoder {
  bit(context: number, bit?: number): number;
}

/** The uptime and player figures of a span of time, as the integers that are stored. Times are in seconds. */
interface Span {
  class: number;
  missing: number;
  offline: number;
  uncounted: number;
  /** Mean number of players in units of 1/8. */
  mean: number;
  max: number;
}

function emptySpan(): Span {
  return { class: UNKNOWN, missing: 0, offline: 0, uncounted: 0, mean: 0, max: 0 };
}

/**
 * Encodes or decodes a number from 0 to 2^31 - 2 in two parts: its length in bits (unary), and its bits without the
 * highest one.
 */
function number(coder: BitCoder, base: number, value: number): number {
  const contexts = CLASSES + base * NUMBER;
  const wanted = 31 - Math.clz32(value + 1);
  let bits = 0;
  while (bits < 30 && coder.bit(contexts + bits, bits < wanted ? 1 : 0) === 1) bits++;
  let result = 1;
  for (let i = bits - 1; i >= 0; i--) {
    const context = i === bits - 1 ? contexts + 32 + bits : PLAIN + i;
    result = result * 2 + coder.bit(context, ((value + 1) >>> i) & 1);
  }
  return result - 1;
}

/**
 * Encodes or decodes the uptime and player figures of adjacent spans of time. With a decoder, fills `spans` with the
 * decoded figures. One function does both, because the steps are the same.
 */
function code(coder: BitCoder, spans: Span[], slotSeconds: number): void {
  let before = UNKNOWN;
  let mean = 0;
  let change = 0;
  let peak = 0;
  for (const span of spans) {
    let node = 1;
    for (let i = 2; i >= 0; i--) node = node * 2 + coder.bit(before * 8 + node, (span.class >> i) & 1);
    span.class = Math.min(node - 8, OTHER);
    before = span.class;
    if (span.class === OTHER) {
      span.missing = number(coder, NUMBERS.missing, span.missing);
      span.offline = number(coder, NUMBERS.offline, span.offline);
      span.uncounted = number(coder, NUMBERS.uncounted, span.uncounted);
    }
    if (!hasPlayers(span, slotSeconds)) continue;
    const size = change === 0 ? 0 : change < MEAN_UNITS ? 1 : 2;
    change = number(coder, NUMBERS.change + size, Math.abs(span.mean - mean));
    if (change > 0) mean += coder.bit(SIGN, span.mean > mean ? 1 : 0) === 1 ? change : -change;
    span.mean = mean;
    const floor = Math.ceil(mean / MEAN_UNITS);
    const context = Math.min(peak, 3) * 2 + (mean % MEAN_UNITS === 0 ? 0 : 1);
    peak = number(coder, NUMBERS.peak + context, Math.max(0, span.max - floor));
    span.max = floor + peak;
  }
}

function hasPlayers({ class: kind, missing, offline, uncounted }: Span, slotSeconds: number): boolean {
  return kind === ONLINE || (kind === OTHER && missing + offline + uncounted < slotSeconds);
}

function spanOf(figures: Figures | undefined, slotSeconds: number): Span {
  if (!figures) return emptySpan();
  const known = Math.min(slotSeconds, Math.round(figures.knownMs / 1_000));
  const online = Math.min(known, Math.round(figures.onlineMs / 1_000));
  const counted = Math.min(online, Math.round(figures.countedMs / 1_000));
  const max = Math.min(MOST_PLAYERS, figures.playersMax);
  const mean = counted === 0 ? 0 : Math.round((figures.playerMs / figures.countedMs) * MEAN_UNITS);
  return {
    class: classOf(known, online, counted, slotSeconds),
    missing: slotSeconds - known,
    offline: known - online,
    uncounted: online - counted,
    mean: Math.min(mean, max * MEAN_UNITS),
    max,
  };
}

function classOf(known: number, online: number, counted: number, slotSeconds: number): number {
  if (known === 0) return UNKNOWN;
  if (known < slotSeconds) return OTHER;
  if (counted === slotSeconds) return ONLINE;
  if (online === 0) return OFFLINE;
  return online === slotSeconds && counted === 0 ? UNCOUNTED : OTHER;
}

function figuresOf(span: Span, from: number, slotMs: number): Figures {
  const whole = span.class !== OTHER;
  const known = whole ? slotMs : slotMs - span.missing * 1_000;
  const online = whole ? (span.class === OFFLINE ? 0 : slotMs) : known - span.offline * 1_000;
  const counted = whole ? (span.class === ONLINE ? slotMs : 0) : online - span.uncounted * 1_000;
  return {
    from,
    to: from + slotMs,
    knownMs: Math.max(0, known),
    onlineMs: Math.max(0, online),
    countedMs: Math.max(0, counted),
    playerMs: (Math.max(0, counted) * span.mean) / MEAN_UNITS,
    playersMax: counted > 0 ? span.max : 0,
  };
}

const contexts = new Contexts(CONTEXTS);
const encoder = new ArithmeticEncoder(contexts);
const decoder = new ArithmeticDecoder(contexts);

/**
 * Adjacent spans of time that are coded together: `count` spans of `slotMs` milliseconds, the first of which begins at
 * `from`.
 */
export interface Slots {
  readonly from: number;
  readonly count: number;
  readonly slotMs: number;
}

/**
 * Encodes the uptime and player figures of a server for `count` adjacent spans of time. `figures`: at most one element
 * for each span. An element is undefined if the status was unknown in the whole span.
 */
export function encodeFigures({ count, slotMs }: Slots, figures: readonly (Figures | undefined)[]): Buffer {
  const seconds = slotMs / 1_000;
  const spans = Array.from({ length: count }, (_, i) => spanOf(figures[i], seconds));
  encoder.start();
  code(encoder, spans, seconds);
  return encoder.finish();
}

/**
 * Decodes the result of `encodeFigures`: the uptime and player figures of a server for `count` adjacent spans of time.
 * An element is undefined if the status of the server was unknown in the whole span. Never throws.
 */
export function decodeFigures({ from, count, slotMs }: Slots, bytes: Uint8Array): (Figures | undefined)[] {
  const spans = Array.from({ length: count }, emptySpan);
  decoder.start(bytes);
  code(decoder, spans, slotMs / 1_000);
  return spans.map((span, i) =>
    span.class === UNKNOWN ? undefined : figuresOf(span, from + i * slotMs, slotMs),
  );
}
