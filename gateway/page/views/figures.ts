/** One formatter for all numbers. `toLocaleString` makes a new one for each number, which blocked a page for 60 ms. */
const wholeNumbers = new Intl.NumberFormat('en');

/** Formats a whole number for a page, such as `1,234`. */
export function count(value: number): string {
  return wholeNumbers.format(value);
}

/** Formats a number of things, such as `1 player` or `1,234 players`. `noun`: one thing; its plural ends with `s`. */
export function counted(value: number, noun: string): string {
  return `${count(value)} ${noun}${value === 1 ? '' : 's'}`;
}

/**
 * Returns a share of time, such as an uptime, as percent. Rounds down, so that an uptime of 100 % means that the server
 * was never offline.
 */
export function percent(share: number | null): string {
  if (share === null) return 'unknown';
  // Adds 1e-9, because the product can be a little too small: 10,000 times 0.57 is 5699.999999999999.
  const floor = Math.floor(10_000 * share + 1e-9) / 100;
  return `${floor.toFixed(floor === 100 || floor === 0 ? 0 : 2)} %`;
}
