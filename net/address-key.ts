const DOT = 0x2e;
const ZERO = 0x30;
const OCTETS = 4;

/**
 * An IP address as a key of a map: IPv4 as a signed 32-bit integer, IPv6 as text. An integer takes less memory than a
 * string and is hashed faster.
 */
export type AddressKey = number | string;

/** Returns the key of a map for a port of an address. */
export function endpointKey(address: AddressKey, port: number): number | string {
  return typeof address === 'number' ? address * 0x1_0000 + port : `${address} ${port}`;
}

/**
 * Converts an IP address to its key in maps. A dotted IPv4 address without leading zeros becomes a number. Any other
 * text is returned unchanged.
 */
export function addressKey(text: string): AddressKey {
  let number = 0;
  let octets = 1;
  let octet = 0;
  let digits = 0;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code === DOT) {
      if (digits === 0) return text;
      number = (number << 8) | octet;
      octets++;
      octet = 0;
      digits = 0;
      continue;
    }
    if (code < ZERO || code > ZERO + 9 || (octet === 0 && digits > 0)) return text;
    octet = octet * 10 + code - ZERO;
    digits++;
    if (octet > 255) return text;
  }
  return octets === OCTETS && digits > 0 ? (number << 8) | octet : text;
}
