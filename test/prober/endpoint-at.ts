import { addressKey } from '../../net/address-key.ts';
import type { DatagramEndpoint } from '../../prober/transport/datagram-socket.ts';

/** Returns the UDP endpoint for an address literal and a port. */
export function endpointAt(address: string, port: number): DatagramEndpoint {
  return { address, key: addressKey(address), port };
}

/**
 * A broadcast address. The system refuses to send a packet to this address (EACCES). On Linux, this is the broadcast
 * address of loopback. 255.255.255.255 is not suitable, because Linux reports a different error for it if the machine
 * has no default route.
 */
export const BROADCAST = process.platform === 'linux' ? '127.255.255.255' : '255.255.255.255';
