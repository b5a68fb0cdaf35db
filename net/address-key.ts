const DOT = 0x2e;
const ZERO = 0x30;
const OCTETS = 4;

/**
 * An IP address as a key of a map. An IPv4 address is stored as a signed 32-bit integer, because an integer takes less
 * memory than a string and is hashed faster. An IPv6 address is stored as its text.
 */
export type AddressKey = number | string;

/**
 * Converts an IP address to the key that represents it in maps. An IPv4 address must have the form that the kernel
 * writes: four decimal numbers from 0 to 255, separated by dots and without leading zeros. A string in any other form,
 * such as an IPv6 address, is returned unchanged.
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
