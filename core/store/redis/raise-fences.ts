import type { BucketCall, BucketCalls } from './bucket-calls.ts';
import { fenceKey } from './buckets.ts';
import type { Fence, StoredFence } from './fence.ts';
import { NotConfirmed } from './repetition.ts';
import { RAISE_SCRIPT } from './scripts.ts';

/**
 * Stores the fences of this process for its buckets (groups of servers). A fence names the owner of a bucket. If a
 * bucket already has the fence of a newer owner, this fence stays stored. Returns all fences of newer owners that were
 * found. `needsReplicas`: true if the replicas must confirm the stored fences.
 */
export async function raiseFences(
  calls: BucketCalls,
  buckets: readonly number[],
  fenceOf: (bucket: number) => Fence | undefined,
  until: number,
  needsReplicas: boolean,
): Promise<StoredFence[]> {
  const raise = async (isDurable: boolean, tryUntil: number): Promise<StoredFence[]> => {
    const raises = buckets.flatMap((bucket): BucketCall[] => {
      const fence = fenceOf(bucket);
      if (!fence) return [];
      const command = ['EVALSHA', RAISE_SCRIPT.sha, '1', fenceKey(bucket), fence.text, String(fence.epoch)];
      return [{ bucket, command, isDurable }];
    });
    await calls.run(raises, tryUntil);
    return raises.flatMap(({ bucket, reply }) =>
      Buffer.isBuffer(reply) ? [{ bucket, stored: String(reply) }] : [],
    );
  };
  if (needsReplicas) return raise(true, until);
  // Asks the replicas for a confirmation, but only once, and ignores a missing confirmation. If the confirmation were
  // required, a core could not take over buckets while their master has no replica.
  const refused = await raise(false, until);
  if (refused.length > 0) return refused;
  return raise(true, performance.now()).catch((error: unknown) => {
    if (error instanceof NotConfirmed) return [];
    throw error;
  });
}
