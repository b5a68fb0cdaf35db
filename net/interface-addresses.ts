import { networkInterfaces } from 'node:os';

/** The IP addresses that this machine's network interfaces hold now, IPv6 without zones. */
export function interfaceAddresses(): string[] {
  return Object.values(networkInterfaces()).flatMap(held =>
    (held ?? []).map(({ address }) => address.replace(/%.*$/, '')),
  );
}
