const DOT = 0x2e;
const ZERO = 0x30;

/**
 * An IP address as maps keep it: IPv4 as a whole number, its four bytes as a signed one of 32 bits, which is
 * neither hashed letter by letter nor garbage; IPv6 as its text.
 */
export type AddressKey = number | string;

/** The key of an address literal as the kernel writes it. */
export function addressKey(address: string): AddressKey {
  let number = 0;
  let octet = 0;
  for (let i = 0; i < address.length; i++) {
    const code = address.charCodeAt(i);
    if (code === DOT) {
      number = (number << 8) | octet;
      octet = 0;
    } else if (code >= ZERO && code < ZERO + 10) {
      octet = octet * 10 + code - ZERO;
    } else {
      return address;
    }
  }
  return (number << 8) | octet;
}
