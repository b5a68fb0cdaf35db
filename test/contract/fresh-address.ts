let last = 20_000;

/** Returns a port number that no earlier call in the same test file returned. No server listens on the port. */
export function freshPort(): number {
  return ++last;
}

/** Returns `127.0.0.1:port` with a port that no earlier call in the same test file returned. */
export function freshAddress(): string {
  return `127.0.0.1:${freshPort()}`;
}
