const DOT = 0x2e;
const ZERO = 0x30;
const OCTETS = 4;

/**
 * An IP address as the key of a map: IPv4 as its four bytes in a signed 32-bit integer, IPv6 as its text. An integer needs
 * no memory of its own and is hashed faster than a string.
 */
export type AddressKey = number | string;

/**
 * The key of an address literal as the kernel writes it. IPv4 is four decimal numbers from 0 to 255, separated by dots and
 * without leading zeros; any other text is its own key.
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
