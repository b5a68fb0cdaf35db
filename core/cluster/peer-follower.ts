import type { ClientReadableStream } from '@grpc/grpc-js';
import type { FollowChangesResponse__Output } from '../../proto/generated/gsq/v1/FollowChangesResponse.ts';
import type { UnnumberedChange } from '../feed/change-feed.ts';
import type { Later } from './later.ts';
import type { Member } from './ownership.ts';
import type { Peers } from './peers.ts';
import { decodeChange } from './server-change.ts';

/** Time until a broken stream of changes is opened again, ms. */
const RETRY_MS = 250;

/** Options of `PeerFollower`. */
export interface PeerFollowerOptions {
  peers: Peers;
  /** The core whose changes are followed. */
  peer: Member;
  /** Servers whose every new record is wanted (`serverKey`). If empty, the visible changes of all servers. */
  probedKeys: readonly string[];
  /** Called when the core sends all changes from now on. Called again after each `onBreak`. */
  onBegin(): void;
  /** `key`: `serverKey` of the changed server. */
  onChange(key: string, change: UnnumberedChange): void;
  /** Called when a stream that had begun breaks. Changes can be missing from now on. */
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

  /** True while the core sends all changes. */
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
        // The change is lost, as if the stream had broken. The server is then read again.
        this.#break(call);
        call.cancel();
        return;
      }
    }
  }

  /** A broken stream can emit both `error` and `end`, so the second of them is ignored. */
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
