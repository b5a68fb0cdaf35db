import type { WatchMembersRequest__Output } from '../../proto/generated/gsq/v1/WatchMembersRequest.ts';
import type { WatchMembersResponse } from '../../proto/generated/gsq/v1/WatchMembersResponse.ts';
import type { Ownership } from '../cluster/ownership.ts';
import type { Handlers } from './handler.ts';
import { streamEnd } from './stream-end.ts';

/** Dependencies of `watchMembers`. */
export interface WatchMembersDependencies {
  /** The members of the cluster. Undefined if the core is not in a cluster. */
  ownership: Pick<Ownership, 'members' | 'lead' | 'watch'> | undefined;
  /** Signal that is aborted when the core begins to shut down. All streams of WatchMembers then end. */
  closing: AbortSignal;
}

/**
 * Creates the handler of ClusterService.WatchMembers. It sends the list of the cores of the cluster, and sends the list
 * again after each change. The stream lasts until the caller or this core ends it.
 */
export function watchMembers({ ownership, closing }: WatchMembersDependencies, handlers: Handlers) {
  return handlers.serverStream<WatchMembersRequest__Output, WatchMembersResponse>(async stream => {
    const ended = streamEnd(stream, closing);
    let sent: string | undefined;
    let isBlocked = false;
    const sendMembers = (): void => {
      const members = membersOf(ownership);
      const text = JSON.stringify(members);
      // Sends the list of cores only if it has changed. Most changes in a cluster only give a bucket (group of servers)
      // to another core. The caller of WatchMembers does not need these changes.
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
    await ended;
    unwatch?.();
  });
}

function membersOf(ownership: WatchMembersDependencies['ownership']) {
  return (ownership?.members ?? []).map(({ id, address }) => ({
    id,
    address,
    isLead: id === ownership?.lead?.id,
  }));
}
