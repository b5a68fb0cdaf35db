import type { EngineCluster } from '../engine-cluster.ts';
import type { EngineNode } from '../engine-node.ts';

/**
 * Number of keys of a hash slot that move in one step. The number is small, so that the move takes many steps. Between
 * two steps, the old master has some keys of the slot, and the new master has the others.
 */
const KEYS_AT_ONCE = '3';

/**
 * Moves a hash slot of a Redis cluster to another master, with the same commands as redis-cli. Clients can write to the
 * slot meanwhile.
 */
export async function moveSlot(cluster: EngineCluster, slot: number, to: EngineNode): Promise<void> {
  const from = cluster.ownerOf(slot);
  const number = String(slot);
  await to.command('CLUSTER', 'SETSLOT', number, 'IMPORTING', from.id);
  await from.command('CLUSTER', 'SETSLOT', number, 'MIGRATING', to.id);
  for (;;) {
    const keys = (await from.command('CLUSTER', 'GETKEYSINSLOT', number, KEYS_AT_ONCE)) as string[];
    if (keys.length === 0) break;
    await from.command('MIGRATE', '127.0.0.1', String(to.port), '', '0', '5000', 'KEYS', ...keys);
  }
  // The node `to` must learn earlier than `from` that `to` now owns the hash slot. Otherwise, no node would own the
  // slot for a moment.
  const masters = cluster.masters.filter(node => node !== from && node !== to);
  for (const node of [to, from, ...masters]) await node.command('CLUSTER', 'SETSLOT', number, 'NODE', to.id);
}
