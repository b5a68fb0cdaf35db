import { type OwnedStore, openOwnedStore } from '../../core/store/redis/owned-store.ts';
import { createLogger } from '../../runtime/log.ts';

/** A member of a cluster in the process of a test, with what it has reported. */
export interface OpenedMember extends OwnedStore {
  /** The errors with which the member has ended. */
  lost: Error[];
  /** The buckets that the member has loaded, in the order of loading. */
  taken: number[];
  /** Gives the buckets away, leaves the cluster and closes the store. */
  close(): Promise<void>;
}

/**
 * Joins the cluster of a store and begins to take buckets. `onWait` is called if the member waits for `gsq migrate`. The
 * default is to do nothing.
 */
export async function openMember(
  url: string,
  address: string,
  onWait: (user: string) => void = () => {},
): Promise<OpenedMember> {
  const lost: Error[] = [];
  const taken: number[] = [];
  const { store, ownership } = await openOwnedStore({
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
  return { store, ownership, lost, taken, close };
}
