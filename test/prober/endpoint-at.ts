import { addressKey } from '../../net/address-key.ts';
import type { DatagramEndpoint } from '../../prober/transport/datagram-socket.ts';

/** Returns the UDP endpoint for an address literal and a port. */
export function endpointAt(address: string, port: number): DatagramEndpoint {
  return { address, key: addressKey(address), port };
}

/**
 * A broadcast address. The system refuses to send packets to it (EACCES). On Linux, the address is in the loopback
 * network: 255.255.255.255 causes a different error without a default route.
 */
export const BROADCAST = process.platform === 'linux' ? '127.255.255.255' : '255.255.255.255';
