import { clients, internalMetadata } from '../../proto/clients.ts';
import type { FetchPartsResponse__Output } from '../../proto/generated/gsq/v1/FetchPartsResponse.ts';
import { INTERNAL_SECRET } from '../system/stack-settings.ts';

/**
 * Asks one core which of the servers at `addresses` it owns. Returns the addresses of these servers. `internal`:
 * address of the internal port of this core. Rejects if the core is not a member of a cluster.
 */
export async function ownedAddresses(
  internal: string,
  gameId: string,
  addresses: readonly string[],
): Promise<string[]> {
  const client = clients.cluster(internal);
  try {
    const call = client.fetchParts(internalMetadata(INTERNAL_SECRET));
    const servers = [{ gameId, servers: [...addresses] }];
    const response = new Promise<FetchPartsResponse__Output>((resolve, reject) => {
      call.on('data', resolve);
      call.on('error', reject);
    });
    call.write({ calls: [{ id: 1, action: 'PART_ACTION_READ', servers }] });
    const [reply] = (await response).replies;
    call.end();
    return addresses.filter((_, i) => reply?.servers[i]?.moved === false);
  } finally {
    client.close();
  }
}
