import { ALL_BUCKETS } from '../../../core/cluster/buckets.ts';
import { slotOfBucket } from '../../../core/store/redis/hash-slots.ts';
import { TABLE_BUCKET, TABLE_KEYS } from '../../../core/store/redis/table-scripts.ts';
import type { EngineCluster } from '../engine-cluster.ts';

/**
 * The cores of a cluster and the owners of all buckets (groups of servers), as Redis or Valkey stores them (the table
 * of owners).
 */
export interface Owners {
  /** Addresses of all cores of the cluster, sorted. An address occurs twice if its core was restarted a moment ago. */
  readonly members: readonly string[];
  /** For each bucket of data, the address of the core that owns it. Undefined if no core owns the bucket. */
  readonly ofBucket: readonly (string | undefined)[];
}

/**
 * Reads from Redis or Valkey which core owns which bucket of data. Rejects if the master with the table of owners does
 * not answer. After a fault, call `EngineCluster.settled` first.
 */
export async function readOwners(cluster: EngineCluster): Promise<Owners> {
  const [, , members = '', buckets = ''] = TABLE_KEYS;
  const [states, table] = await cluster
    .ownerOf(slotOfBucket(TABLE_BUCKET))
    .commands(['HGETALL', members], ['HGETALL', buckets]);
  const addresses = new Map<string, string>();
  for (const [id, state] of pairsOf(states)) addresses.set(id, state.slice(state.indexOf(' ') + 1));
  const ofBucket = new Array<string | undefined>(ALL_BUCKETS).fill(undefined);
  for (const [bucket, entry] of pairsOf(table))
    ofBucket[Number(bucket)] = addresses.get(entry.slice(entry.indexOf(' ') + 1));
  return { members: [...addresses.values()].sort(), ofBucket };
}

/**
 * Returns true if exactly the cores with the addresses `cores` are members of the cluster, and they own all buckets of
 * data in about equal shares.
 */
export function isBalanced({ members, ofBucket }: Owners, cores: readonly string[]): boolean {
  if (members.join() !== [...cores].sort().join()) return false;
  const counts = new Map<string | undefined, number>();
  for (const owner of ofBucket) counts.set(owner, (counts.get(owner) ?? 0) + 1);
  const isFair = (core: string): boolean =>
    Math.abs((counts.get(core) ?? 0) * cores.length - ALL_BUCKETS) < ALL_BUCKETS / 4;
  return !counts.has(undefined) && cores.every(isFair);
}

/** Returns the fields and values in a reply of Redis to the command HGETALL. */
function pairsOf(reply: unknown): [string, string][] {
  const texts = (reply as unknown[]).map(String);
  return Array.from({ length: texts.length / 2 }, (_, i) => [texts[2 * i] ?? '', texts[2 * i + 1] ?? '']);
}
