import type { AddressKey } from '../../net/address-key.ts';

/** Returns the IP address of an address key, in the notation of the kernel. */
export function addressText(key: AddressKey): string {
  return typeof key === 'number' ? [24, 16, 8, 0].map(bits => (key >>> bits) & 0xff).join('.') : key;
}
