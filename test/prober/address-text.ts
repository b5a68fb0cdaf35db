import type { AddressKey } from '../../net/address-key.ts';

/** Converts a key made by the function `addressKey` back to the text of its IP address. */
export function addressText(key: AddressKey): string {
  return typeof key === 'number' ? [24, 16, 8, 0].map(bits => (key >>> bits) & 0xff).join('.') : key;
}
