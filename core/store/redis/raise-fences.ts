import type { BucketCall, BucketCalls } from './bucket-calls.ts';
import { fenceKey } from './buckets.ts';
import type { Fence, StoredFence } from './fence.ts';
import type { Script } from './scripts.ts';

/**
 * Stores the fences of this process for its buckets (groups of servers). A fence names the owner of a bucket. If a
 * bucket already has the fence of a newer owner, this fence stays stored. Returns all fences of newer owners that were
 * found. `script`: RAISE_SCRIPT or TAKE_SCRIPT. `isDurable`: true if the replicas must confirm the stored fences.
 * Repeats failed commands until the time `until` of performance.now(), then rejects.
 */
export async function raiseFences(
  calls: BucketCalls,
  script: Script,
  buckets: readonly number[],
  fenceOf: (bucket: number) => Fence | undefined,
  until: number,
  isDurable: boolean,
): Promise<StoredFence[]> {
  const raises = buckets.flatMap((bucket): BucketCall[] => {
    const fence = fenceOf(bucket);
    if (!fence) return [];
    const command = ['EVALSHA', script.sha, '1', fenceKey(bucket), fence.text, String(fence.epoch)];
    return [{ bucket, command, isDurable }];
  });
  await calls.run(raises, until);
  return raises.flatMap(({ bucket, reply }) =>
    Buffer.isBuffer(reply) ? [{ bucket, stored: String(reply) }] : [],
  );
}
