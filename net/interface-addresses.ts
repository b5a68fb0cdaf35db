import { networkInterfaces } from 'node:os';
import { plainIP } from './ipv6.ts';

/** The IP addresses of this machine's network interfaces at the time of the call, IPv6 without zones. */
export function interfaceAddresses(): string[] {
  return Object.values(networkInterfaces()).flatMap(addresses =>
    (addresses ?? []).map(({ address }) => plainIP(address)),
  );
}
