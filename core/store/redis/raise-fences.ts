import type { BucketCall, BucketCalls } from './bucket-calls.ts';
import { fenceKey } from './buckets.ts';
import type { Fence, StoredFence } from './fence.ts';
import { NotConfirmed } from './repetition.ts';
import { RAISE_SCRIPT } from './scripts.ts';

/**
 * Writes the fences (fencing tokens) of a process to its buckets. Only this process can then write to these buckets. If
 * a bucket has the fence of a newer owner, does not change this fence and returns it. Rejects like `BucketCalls.run`.
 *
 * `needsReplicas`: if true, the replicas must confirm the fences. If false, waits for the replicas only once, and also
 * resolves without their confirmation. In this way, a core can take the buckets of a lost core while a master has no
 * replica.
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
  const refused = await raise(false, until);
  if (refused.length > 0) return refused;
  return raise(true, performance.now()).catch((error: unknown) => {
    if (error instanceof NotConfirmed) return [];
    throw error;
  });
}
