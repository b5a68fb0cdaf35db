let last = 20_000;

/** A port of loopback no other test of the file has named; nothing listens there, and nothing is sent there. */
export function freshPort(): number {
  return ++last;
}

/** The same as an address. */
export function freshAddress(): string {
  return `127.0.0.1:${freshPort()}`;
}
