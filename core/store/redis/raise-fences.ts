import type { BucketCall, BucketCalls } from './bucket-calls.ts';
import { fenceKey } from './buckets.ts';
import type { Fence, StoredFence } from './fence.ts';
import { RAISE_SCRIPT } from './scripts.ts';

/**
 * Stores the fences of a new owner in buckets, so that no older owner can write to them any more. Resolves when replicas
 * have the fences. Returns the fences of newer owners, if some buckets have them; the other buckets then have the new
 * fences. Rejects like `BucketCalls.run`.
 */
export async function raiseFences(
  calls: BucketCalls,
  buckets: readonly number[],
  fenceOf: (bucket: number) => Fence | undefined,
  until: number,
): Promise<StoredFence[]> {
  const raises = buckets.flatMap((bucket): BucketCall[] => {
    const fence = fenceOf(bucket);
    if (!fence) return [];
    const command = ['EVALSHA', RAISE_SCRIPT.sha, '1', fenceKey(bucket), fence.text, String(fence.epoch)];
    return [{ bucket, command, isDurable: true }];
  });
  await calls.run(raises, until);
  return raises.flatMap(({ bucket, reply }) =>
    Buffer.isBuffer(reply) ? [{ bucket, stored: String(reply) }] : [],
  );
}
