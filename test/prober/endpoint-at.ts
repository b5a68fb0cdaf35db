import type { DatagramEndpoint } from '../../prober/transport/datagram-socket.ts';
import { addressKey } from '../../proto/address-key.ts';

/** Where datagrams to an address literal go. */
export function endpointAt(address: string, port: number): DatagramEndpoint {
  return { address, key: addressKey(address), port };
}
