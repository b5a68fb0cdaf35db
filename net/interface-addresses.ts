import { networkInterfaces } from 'node:os';
import { plainIP } from './ipv6.ts';

/** Returns the current IP addresses of the network interfaces of this machine. IPv6 addresses have no zones. */
export function interfaceAddresses(): string[] {
  return Object.values(networkInterfaces()).flatMap(addresses =>
    (addresses ?? []).map(({ address }) => plainIP(address)),
  );
}
