import type { AddressKey } from '../../net/address-key.ts';

/** The address of a key, as the kernel writes it. */
export function addressText(key: AddressKey): string {
  return typeof key === 'number' ? [24, 16, 8, 0].map(bits => (key >>> bits) & 0xff).join('.') : key;
}
