import { addressKey } from '../../net/address-key.ts';
import type { DatagramEndpoint } from '../../prober/transport/datagram-socket.ts';

/** Returns the UDP endpoint for an address literal and a port. */
export function endpointAt(address: string, port: number): DatagramEndpoint {
  return { address, key: addressKey(address), port };
}

/**
 * A broadcast address, to which the system refuses to send packets (EACCES). On Linux, 255.255.255.255 can cause a
 * different error, so tests use the broadcast address of loopback.
 */
export const BROADCAST = process.platform === 'linux' ? '127.255.255.255' : '255.255.255.255';
