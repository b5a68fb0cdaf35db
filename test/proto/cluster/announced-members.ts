import type { ServerWritableStream } from '@grpc/grpc-js';
import type { ClusterServiceHandlers } from '../../../proto/generated/gsq/v1/ClusterService.ts';
import type { WatchMembersRequest__Output } from '../../../proto/generated/gsq/v1/WatchMembersRequest.ts';
import type { WatchMembersResponse } from '../../../proto/generated/gsq/v1/WatchMembersResponse.ts';

type Stream = ServerWritableStream<WatchMembersRequest__Output, WatchMembersResponse>;

/** Implements the gRPC method WatchMembers for a fake core. The test decides which list of cores it sends. */
export class AnnouncedMembers {
  readonly #streams = new Set<Stream>();
  readonly #onOpen: () => void;
  #addresses: readonly string[];
  /** Number of WatchMembers streams that clients have opened so far. */
  opened = 0;
  /** If false, the fake core accepts new streams, but sends no list of cores on them. */
  answers = true;

  constructor(addresses: readonly string[] = [], onOpen: () => void = () => {}) {
    this.#addresses = addresses;
    this.#onOpen = onOpen;
  }

  /** The handler of WatchMembers, for `Server.addService`. */
  get handlers(): Pick<ClusterServiceHandlers, 'WatchMembers'> {
    return {
      WatchMembers: stream => {
        this.opened++;
        this.#streams.add(stream);
        stream.on('cancelled', () => this.#streams.delete(stream));
        stream.on('error', () => {});
        if (this.answers) this.#send(stream);
        this.#onOpen();
      },
    };
  }

  /** Sends these addresses of cores on all open streams, and on each stream that a client opens later. */
  announce(addresses: readonly string[]): void {
    this.#addresses = addresses;
    for (const stream of this.#streams) this.#send(stream);
  }

  #send(stream: Stream): void {
    stream.write({ members: this.#addresses.map((address, i) => ({ id: `core-${i}`, address })) });
  }
}
