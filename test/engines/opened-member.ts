import { resolve } from 'node:path';
import { BucketAssignment } from '../../core/cluster/bucket-assignment.ts';
import { ALL_BUCKETS, isAccountBucket } from '../../core/cluster/buckets.ts';
import { DirectoryLock } from '../../core/store/leveldb/directory-lock.ts';
import { type OwnedStore, openOwnedStore } from '../../core/store/redis/owned-store.ts';
import { createLogger } from '../../runtime/log.ts';
import { scriptArguments } from '../../runtime/script.ts';
import { Child } from '../system/child.ts';
import { scratchDirectory } from '../system/scratch-directory.ts';
import { until } from '../system/until.ts';

const ALL = Array.from({ length: ALL_BUCKETS }, (_, bucket) => bucket);

/**
 * A member of a cluster. It runs in the process of the test, and records its errors and its loaded buckets (groups of
 * servers).
 */
export interface OpenedMember extends OwnedStore {
  /** The errors that ended the membership of this process in the cluster, for example a lost lease. */
  lost: Error[];
  /** The buckets of data that the member has taken over, in the order in which it took them. */
  taken: number[];
  /** Gives the member's buckets of data to other members, leaves the cluster and closes the store. */
  close(): Promise<void>;
}

/**
 * Joins the cluster of cores that share a store, and begins to take buckets of data. `onWait`: called if the member has
 * to wait for `gsq migrate`. `dataDirectory`: by default, a new directory.
 */
export async function openMember(
  url: string,
  address: string,
  onWait: (user: string) => void = () => {},
  dataDirectory = scratchDirectory(),
): Promise<OpenedMember> {
  const log = createLogger('core', 'silent');
  const lost: Error[] = [];
  const taken: number[] = [];
  const { store, ownership, blobs } = await openOwnedStore({
    url,
    address,
    lock: id => DirectoryLock.take(dataDirectory, id, log),
    log,
    onWait,
    onFailure: () => {},
    onLost: error => void lost.push(error),
  });
  ownership.start({ take: async buckets => void taken.push(...buckets), give: async () => {} });
  let closing: Promise<void> | undefined;
  const close = (): Promise<void> => {
    closing ??= ownership.close().then(() => store.close());
    return closing;
  };
  return { store, ownership, blobs, lost, taken, close };
}

/** Starts a member of the cluster as a separate process. */
export function startMember(
  url: string,
  address: string,
  dataDirectory = scratchDirectory(),
): Promise<Child> {
  const script = resolve(import.meta.dirname, 'member-process.ts');
  return Child.start(process.execPath, () => [...scriptArguments(script), url, address, dataDirectory]);
}

/**
 * Waits until each bucket of data is loaded by the cluster member to which it is assigned, and all members know its
 * owner. All buckets of accounts are loaded by one member, no matter which.
 */
export async function shared(...members: OpenedMember[]): Promise<void> {
  const { owners } = new BucketAssignment().of(members.map(({ ownership }) => ownership.self));
  const look = () => members.map(({ ownership }) => ownership.ownedBuckets);
  const isShared = (): boolean =>
    ALL.every(bucket =>
      members.every(({ ownership }) => {
        const owner = ownership.ownerOf(bucket);
        return (
          owner !== undefined &&
          (isAccountBucket(bucket) || owners[bucket] === owner.id) &&
          members.some(other => other.ownership.self.id === owner.id && other.ownership.owns(bucket))
        );
      }),
    );
  await until(
    'an owner of each bucket',
    look,
    counts => counts.every(count => count > 0) && isShared(),
    60_000,
  );
}
