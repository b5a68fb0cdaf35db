import type { AddressKey } from '../../net/address-key.ts';

/** Returns the text of the IP address whose map key is `key`. The function `addressKey` makes such keys. */
export function addressText(key: AddressKey): string {
  return typeof key === 'number' ? [24, 16, 8, 0].map(bits => (key >>> bits) & 0xff).join('.') : key;
}
