import assert from 'node:assert/strict';
import { isInDoubt, type ServerRecord } from '../../../core/servers/server-record.ts';
import type { ServerStore } from '../../../core/servers/server-store.ts';

/** The id of a lease (order to probe), and the record of the server to probe. */
export interface LeasedRecord {
  id: number;
  server: ServerRecord;
}

/** Copies a record of the store together with its bytes, so that the copy stays valid when the store changes. */
export function ownCopy(server: ServerRecord): ServerRecord {
  return { ...server, data: Buffer.from(server.data), openHour: Buffer.from(server.openHour) };
}

/**
 * Leases servers whose next probe is due, at most `limit`. Checks that each lease contains the same data as the record
 * of the server.
 */
export function leaseRecords(store: Pick<ServerStore, 'leaseDue' | 'leased'>, limit: number): LeasedRecord[] {
  return store.leaseDue(limit).map(({ id, server: probed }) => {
    const server = store.leased(id);
    assert.ok(server);
    const { gameId, address, nextProbeAt, queryPort, status, lastOnlineAt } = server;
    const onlineAt = status === 'online' ? lastOnlineAt : 0;
    assert.deepEqual(probed, {
      gameId,
      address,
      nextProbeAt,
      queryPort,
      inDoubt: isInDoubt(server),
      onlineAt,
    });
    return { id, server: ownCopy(server) };
  });
}
