const DAY_S = 86_400;

/**
 * Formats a time of a history in UTC, such as `11-24 18:00`. If the history has steps of a day or longer, returns only
 * the date, such as `2026-11-24`.
 */
export function shortTime(at: number, stepSeconds: number): string {
  const [date = '', time = ''] = new Date(at).toISOString().split('T');
  return stepSeconds >= DAY_S ? date : `${date.slice(5)} ${time.slice(0, 5)}`;
}

/** Converts a time in an answer of the API, such as `2026-11-24T18:00:00.000Z`, to the form `2026-11-24 18:00 UTC`. */
export function longTime(text: string | null): string {
  return text === null ? '' : `${text.slice(0, 10)} ${text.slice(11, 16)} UTC`;
}

/** Returns a length of time in words, such as `3 d 4 h` or `25 min`. `ms`: at least 0. */
export function duration(ms: number): string {
  const minutes = Math.round(ms / 60_000);
  if (minutes < 60) return `${minutes} min`;
  const hours = Math.floor(minutes / 60);
  if (hours < 48) return `${hours} h ${minutes % 60} min`;
  return `${Math.floor(hours / 24)} d ${hours % 24} h`;
}
