import { badParameter, type Retention } from './history-range.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS, QUARTER_MS } from './units.ts';

/** A period that ends now. A caller asks for the uptime of a server in this period. */
export interface UptimeWindow {
  /** Length of the uptime window as in the request, such as `24h`. */
  readonly text: string;
  readonly ms: number;
}

const DEFAULT_WINDOWS = '24h,7d,30d,365d';
const MAX_WINDOWS = 10;
/** Maximum length of an uptime window: ten years. */
const MAX_WINDOW_MS = 3_660 * DAY_MS;
const UNIT_MS: Readonly<Record<string, number>> = { h: HOUR_MS, d: DAY_MS };

/**
 * Returns the uptime windows of a comma-separated list, such as `24h,7d`. Throws ServiceError QUERY_1 if the list is
 * not valid.
 */
export function uptimeWindows(list: string): UptimeWindow[] {
  const texts = (list || DEFAULT_WINDOWS).split(',', MAX_WINDOWS + 1);
  if (texts.length > MAX_WINDOWS) throw badParameter('window', `has more than ${MAX_WINDOWS} lengths`);
  return texts.map(text => {
    const [, digits = '', unit = ''] = /^(\d{1,6})([hd])$/.exec(text) ?? [];
    const ms = Number(digits) * (UNIT_MS[unit] ?? 0);
    if (ms > 0 && ms <= MAX_WINDOW_MS) return { text, ms };
    throw badParameter(
      'window',
      'must be hours or days, separated by commas, such as 24h,7d; at most 3660d each',
    );
  });
}

/**
 * Returns the start of an uptime window that ends now (`begin`, Unix ms). `ms` is the length of the window. `grain` is
 * the length of the time spans from which the uptime is computed, in ms: a minute, 15 minutes or a day. It is the
 * shortest of these for which the store still has data of the whole window. `begin` is a multiple of `grain`.
 */
export function windowBegin(ms: number, retention: Retention, now: number): { begin: number; grain: number } {
  const grain = ms <= retention.samplesMs ? MINUTE_MS : ms <= retention.quartersMs ? QUARTER_MS : DAY_MS;
  return { begin: Math.floor(Math.max(now - ms, 0) / grain) * grain, grain };
}
