import type { WatchMembersRequest__Output } from '../../proto/generated/gsq/v1/WatchMembersRequest.ts';
import type { WatchMembersResponse } from '../../proto/generated/gsq/v1/WatchMembersResponse.ts';
import { ServiceError } from '../../proto/service-error.ts';
import type { Ownership } from '../cluster/ownership.ts';
import type { Handlers } from './handler.ts';
import { streamEnd } from './stream-end.ts';

/** Dependencies of `watchMembers`. */
export interface WatchMembersDependencies {
  /** The members of the cluster. Undefined if the core is not in a cluster. */
  ownership: Pick<Ownership, 'members' | 'lead' | 'isValid' | 'watch'> | undefined;
  /** Signal that is aborted when the core begins to shut down. All streams of WatchMembers then end. */
  closing: AbortSignal;
}

/**
 * Error of WatchMembers while this core cannot renew its lease. Meanwhile the core does not learn which cores join or
 * leave the cluster.
 */
const PAUSED = new ServiceError(
  'CORE_1',
  'This core does not know the cores of the cluster; ask another core.',
  {
    retryAfterSeconds: 1,
  },
);

/**
 * Creates the handler of ClusterService.WatchMembers. It sends the list of the cores of the cluster, and sends the list
 * again after each change. The stream lasts until the caller or this core ends it. While this core has no valid lease,
 * its streams fail with CORE_1, so the callers ask another core.
 */
export function watchMembers({ ownership, closing }: WatchMembersDependencies, handlers: Handlers) {
  return handlers.serverStream<WatchMembersRequest__Output, WatchMembersResponse>(async stream => {
    let sent: string | undefined;
    let isBlocked = false;
    let fail: (error: Error) => void = () => {};
    const failed = new Promise<never>((_resolve, reject) => {
      fail = reject;
    });
    const sendMembers = (): void => {
      if (ownership?.isValid === false) {
        fail(PAUSED);
        return;
      }
      const members = membersOf(ownership);
      const text = JSON.stringify(members);
      // Sends the list of cores only if it has changed. Most changes in a cluster only give a bucket of servers to
      // another core. The caller of WatchMembers does not need these changes.
      if (isBlocked || text === sent) return;
      sent = text;
      isBlocked = !stream.write({ members });
    };
    // A caller that reads slowly misses older lists of cores, and gets only the newest one.
    stream.on('drain', () => {
      isBlocked = false;
      sendMembers();
    });
    const unwatch = ownership?.watch(sendMembers);
    sendMembers();
    try {
      await Promise.race([streamEnd(stream, closing), failed]);
    } finally {
      unwatch?.();
    }
  });
}

function membersOf(ownership: WatchMembersDependencies['ownership']) {
  return (ownership?.members ?? []).map(({ id, address }) => ({
    id,
    address,
    isLead: id === ownership?.lead?.id,
  }));
}
