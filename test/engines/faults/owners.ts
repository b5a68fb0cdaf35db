import { ALL_BUCKETS } from '../../../core/cluster/buckets.ts';
import { slotOfBucket } from '../../../core/store/redis/hash-slots.ts';
import { TABLE_BUCKET, TABLE_KEYS } from '../../../core/store/redis/table-scripts.ts';
import type { EngineCluster } from '../engine-cluster.ts';

/** The members of a cluster and the owners of all buckets, as the table of owners in the engine has them. */
export interface Owners {
  /** Addresses of all members, sorted. An address occurs twice if its core was restarted a moment ago. */
  readonly members: readonly string[];
  /** Address of the owner of each bucket, indexed by bucket. Undefined if the bucket has no owner. */
  readonly ofBucket: readonly (string | undefined)[];
}

/** Reads the table of owners. Rejects if its master does not answer. Call `EngineCluster.settled` before. */
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

/** True if these cores, named by their addresses, are the only members, and share all buckets about equally. */
export function isBalanced({ members, ofBucket }: Owners, cores: readonly string[]): boolean {
  if (members.join() !== [...cores].sort().join()) return false;
  const counts = new Map<string | undefined, number>();
  for (const owner of ofBucket) counts.set(owner, (counts.get(owner) ?? 0) + 1);
  const isFair = (core: string): boolean =>
    Math.abs((counts.get(core) ?? 0) * cores.length - ALL_BUCKETS) < ALL_BUCKETS / 4;
  return !counts.has(undefined) && cores.every(isFair);
}

/** Returns the fields and values of a reply to HGETALL. */
function pairsOf(reply: unknown): [string, string][] {
  const texts = (reply as unknown[]).map(String);
  return Array.from({ length: texts.length / 2 }, (_, i) => [texts[2 * i] ?? '', texts[2 * i + 1] ?? '']);
}
