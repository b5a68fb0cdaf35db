import { type OwnedStore, openOwnedStore } from '../../core/store/redis/owned-store.ts';
import { createLogger } from '../../runtime/log.ts';

/**
 * A member of a cluster. It runs in the process of the test, and records its errors and its loaded buckets (groups of
 * servers).
 */
export interface OpenedMember extends OwnedStore {
  /** The errors that ended the membership of this process in the cluster, for example a lost lease. */
  lost: Error[];
  /** The buckets (groups of servers) that the member has taken over, in the order of taking. */
  taken: number[];
  /** Gives the buckets (groups of servers) of the member to other members, leaves the cluster and closes the store. */
  close(): Promise<void>;
}

/**
 * Joins the cluster of cores that share a store, and begins to take buckets (groups of servers or accounts). `onWait`:
 * called if the member has to wait for `gsq migrate`.
 */
export async function openMember(
  url: string,
  address: string,
  onWait: (user: string) => void = () => {},
): Promise<OpenedMember> {
  const lost: Error[] = [];
  const taken: number[] = [];
  const { store, ownership, blobs } = await openOwnedStore({
    url,
    address,
    log: createLogger('core', 'silent'),
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
