/** One minute, ms. */
export const MINUTE_MS = 60_000;
/** One quarter hour, ms. */
export const QUARTER_MS = 900_000;
/** One hour, ms. */
export const HOUR_MS = 3_600_000;
/** One day, ms. */
export const DAY_MS = 86_400_000;
