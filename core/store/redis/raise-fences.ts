import { ALL_BUCKETS } from '../../cluster/buckets.ts';
import type { BucketCall, BucketCalls } from './bucket-calls.ts';
import { fenceKey } from './buckets.ts';
import type { Fence } from './fence.ts';
import { RAISE_SCRIPT } from './scripts.ts';

/**
 * Stores the fence of a new owner in all buckets of the store, so that no older owner can write any more. Resolves when
 * replicas have the fences. If a bucket has the fence of a newer owner, resolves to that fence; other buckets can then
 * already have the new fence. Rejects like `BucketCalls.run`.
 */
export async function raiseFences(
  calls: BucketCalls,
  fence: Fence,
  until: number,
): Promise<string | undefined> {
  const raises = Array.from(
    { length: ALL_BUCKETS },
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
