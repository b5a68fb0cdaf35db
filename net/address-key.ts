const DOT = 0x2e;
const ZERO = 0x30;
const OCTETS = 4;

/**
 * An IP address as maps keep it: IPv4 as a whole number, its four bytes as a signed one of 32 bits, which is
 * neither hashed letter by letter nor garbage; IPv6 as its text.
 */
export type AddressKey = number | string;

/**
 * The key of an address literal as the kernel writes it. Any text but four decimal numbers from 0 to 255, without leading
 * zeros and with dots between, is its own key.
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
