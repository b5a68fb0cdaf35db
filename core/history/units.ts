/** One minute, ms. */
export const MINUTE_MS = 60_000;
/** Length of a quarter hour, ms. */
export const QUARTER_MS = 900_000;
/** Length of an hour, ms. */
export const HOUR_MS = 3_600_000;
/** Length of a day, ms. */
export const DAY_MS = 86_400_000;
