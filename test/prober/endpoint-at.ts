import { addressKey } from '../../net/address-key.ts';
import type { DatagramEndpoint } from '../../prober/transport/datagram-socket.ts';

/** Where datagrams to an address literal go. */
export function endpointAt(address: string, port: number): DatagramEndpoint {
  return { address, key: addressKey(address), port };
}
