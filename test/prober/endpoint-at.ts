import { addressKey } from '../../net/address-key.ts';
import type { DatagramEndpoint } from '../../prober/transport/datagram-socket.ts';

/** Returns the UDP endpoint for an address literal and a port. */
export function endpointAt(address: string, port: number): DatagramEndpoint {
  return { address, key: addressKey(address), port };
}
