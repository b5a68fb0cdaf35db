import type { ClientReadableStream } from '@grpc/grpc-js';
import type { FollowChangesResponse__Output } from '../../proto/generated/gsq/v1/FollowChangesResponse.ts';
import type { UnnumberedChange } from '../feed/change-feed.ts';
import type { Later } from './later.ts';
import type { Member } from './ownership.ts';
import type { Peers } from './peers.ts';
import { decodeChange } from './server-change.ts';

/** Wait before a broken stream of changes is opened again, ms. */
const RETRY_MS = 250;

/** Options of `PeerFollower`, which receives the server changes of another core. */
export interface PeerFollowerOptions {
  peers: Peers;
  /** The other core that is followed: it sends the changes of its servers to this core. */
  peer: Member;
  /**
   * The servers to follow, each as its `serverKey`. The followed core sends each new record of these servers, and
   * nothing about other servers. If the list is empty, the followed core sends the changes of all its servers, without
   * changes that callers cannot see.
   */
  probedKeys: readonly string[];
  /**
   * Called when a stream of changes has begun: from now on, the other core sends all changes. Called again for each
   * stream that replaces a broken one.
   */
  onBegin(): void;
  /** Called with each change of a server. `key`: `serverKey` of the server. */
  onChange(key: string, change: UnnumberedChange): void;
  /** Called when the stream of changes breaks after `onBegin`. Until the next `onBegin`, changes can be missing. */
  onBreak(): void;
  later: Later;
}

/** Follows the changes of the servers of another core. Opens the stream again if it breaks, until `close` is called. */
export class PeerFollower {
  readonly #options: PeerFollowerOptions;
  #call: ClientReadableStream<FollowChangesResponse__Output> | undefined;
  #cancelRetry: (() => void) | undefined;
  #hasBegun = false;
  #isClosed = false;

  constructor(options: PeerFollowerOptions) {
    this.#options = options;
    this.#open();
  }

  /** True while the followed core sends all changes of its servers to this core. */
  get hasBegun(): boolean {
    return this.#hasBegun;
  }

  close(): void {
    this.#isClosed = true;
    this.#hasBegun = false;
    this.#cancelRetry?.();
    this.#call?.cancel();
  }

  #open(): void {
    const { peers, peer, probedKeys } = this.#options;
    const call = peers.client(peer).followChanges({ probedKeys: [...probedKeys] }, peers.metadata);
    this.#call = call;
    call.on('data', (message: FollowChangesResponse__Output) => this.#receive(call, message));
    call.on('error', () => this.#break(call));
    call.on('end', () => this.#break(call));
  }

  #receive(
    call: ClientReadableStream<FollowChangesResponse__Output>,
    { changes }: FollowChangesResponse__Output,
  ): void {
    if (this.#isClosed || call !== this.#call) return;
    if (!this.#hasBegun) {
      this.#hasBegun = true;
      this.#options.onBegin();
    }
    for (const change of changes) {
      const decoded = decodeChange(change);
      if (decoded) this.#options.onChange(change.key, decoded);
      else {
        // This core cannot decode the change. It closes the stream, and opens a new one. At the start of the new
        // stream, this core reads the followed servers again.
        this.#break(call);
        call.cancel();
        return;
      }
    }
  }

  /**
   * Handles the break of a stream. A broken stream can emit both `error` and `end`, so the second of them is ignored.
   */
  #break(call: ClientReadableStream<FollowChangesResponse__Output>): void {
    if (this.#isClosed || call !== this.#call) return;
    this.#call = undefined;
    const { onBreak, later } = this.#options;
    this.#cancelRetry = later(RETRY_MS, () => this.#open());
    if (!this.#hasBegun) return;
    this.#hasBegun = false;
    onBreak();
  }
}
