import type { BucketCall, BucketCalls } from './bucket-calls.ts';
import { BUCKETS, fenceKey } from './buckets.ts';
import type { Fence } from './fence.ts';
import { RAISE_SCRIPT } from './scripts.ts';

/**
 * Raises the fences of all buckets, so that no older owner can write any more. Resolves when replicas have the fences.
 * Returns the fence of a newer owner, if a bucket has one; the other fences can be raised already. Rejects like
 * `BucketCalls.run`.
 */
export async function raiseFences(
  calls: BucketCalls,
  fence: Fence,
  until: number,
): Promise<string | undefined> {
  const raises = Array.from(
    { length: BUCKETS },
    (_, bucket): BucketCall => ({
      bucket,
      command: ['EVALSHA', RAISE_SCRIPT.sha, '1', fenceKey(bucket), fence.text, String(fence.epoch)],
      isDurable: true,
    }),
  );
  await calls.run(raises, until);
  const refused = raises.find(({ reply }) => Buffer.isBuffer(reply));
  return refused && String(refused.reply);
}
