let last = 20_000;

/**
 * Returns a loopback port that no other test of the file uses. Nothing listens there, and nothing is sent
 * there.
 */
export function freshPort(): number {
  return ++last;
}

/** Returns an unused loopback address. */
export function freshAddress(): string {
  return `127.0.0.1:${freshPort()}`;
}
