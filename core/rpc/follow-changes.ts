import type { handleServerStreamingCall, ServerWritableStream } from '@grpc/grpc-js';
import type { FollowChangesRequest__Output } from '../../proto/generated/gsq/v1/FollowChangesRequest.ts';
import type { FollowChangesResponse } from '../../proto/generated/gsq/v1/FollowChangesResponse.ts';
import { ServiceError } from '../../proto/service-error.ts';
import { type EncodedChange, encodeChange } from '../cluster/server-change.ts';
import type { ChangeFeed } from '../feed/change-feed.ts';
import type { Transition } from '../feed/transition.ts';
import { MAX_ADDRESSES } from '../servers/fetch-request.ts';
import type { ServerChanges } from '../servers/server-changes.ts';
import { ServerWatch } from '../servers/server-watch.ts';
import type { Handlers } from './handler.ts';
import { streamEnd } from './stream-end.ts';
import { writeAndWait } from './stream-writer.ts';

/** Size in bytes at which a message to another core is full. The next change of a server begins a new message. */
const MAX_MESSAGE_BYTES = 256 * 1024;
/**
 * Maximum size of the queue of server changes that must still be sent to another core, in bytes. If the other core
 * reads too slowly and the queue becomes larger, the stream to the other core ends.
 */
const MAX_WAITING_BYTES = 16 * 1024 * 1024;
/**
 * Number of bytes that each queued change of a server adds to the size of the queue, in addition to the bytes of the
 * server's records from before and after the change.
 */
const CHANGE_BYTES = 200;

const TOO_SLOW = new ServiceError('CORE_1', 'The changes were read too slowly; read all servers again.', {
  retryAfterSeconds: 1,
});

/** Dependencies of `followChanges`. */
export interface FollowChangesDependencies {
  /** Change feed with the changes of the servers of this core only. */
  feed: ChangeFeed;
  /**
   * Passes new records of the servers of this core to subscribers. A subscriber gets each new record of the servers to
   * which it has subscribed.
   */
  changes: ServerChanges;
  /** Signal that is aborted when the core begins to shut down. */
  closing: AbortSignal;
  /**
   * Maximum size of the queue of server changes that must still be sent to another core, in bytes. By default 16 MiB.
   */
  maxWaitingBytes?: number;
}

type FollowCall = ServerWritableStream<FollowChangesRequest__Output, FollowChangesResponse>;

/** Creates the handler of ClusterService.FollowChanges. Only the internal port may offer this method. */
export function followChanges(
  dependencies: FollowChangesDependencies,
  handlers: Handlers,
): handleServerStreamingCall<FollowChangesRequest__Output, FollowChangesResponse> {
  const encoder = new LastEncoded();
  return handlers.serverStream(async (call: FollowCall) => {
    const ended = streamEnd(call, dependencies.closing);
    const { probedKeys } = call.request;
    if (probedKeys.length > MAX_ADDRESSES) {
      throw new ServiceError('QUERY_1', `probed_keys has more than ${MAX_ADDRESSES} keys.`);
    }
    await (probedKeys.length > 0
      ? sendProbes(dependencies.changes, call, probedKeys, ended)
      : sendChanges(dependencies, call, encoder, ended));
  });
}

async function sendChanges(
  { feed, maxWaitingBytes = MAX_WAITING_BYTES }: FollowChangesDependencies,
  call: FollowCall,
  encoder: LastEncoded,
  ended: Promise<unknown>,
): Promise<void> {
  const waiting = new WaitingChanges(maxWaitingBytes);
  const unsubscribe = feed.subscribe(transition => waiting.add(encoder.encode(transition)));
  const send = async (): Promise<void> => {
    await writeAndWait(call, {});
    for (;;) await writeAndWait(call, { changes: await waiting.take() });
  };
  try {
    await Promise.race([ended, waiting.overflow, send()]);
  } finally {
    unsubscribe();
    waiting.close();
  }
}

/**
 * Sends each new record of the given servers to another core. If that core reads slowly, it gets only the newest record
 * of a server, and not all older ones.
 */
async function sendProbes(
  changes: ServerChanges,
  call: FollowCall,
  keys: readonly string[],
  ended: Promise<unknown>,
): Promise<void> {
  const watch = new ServerWatch(changes, keys);
  const send = async (): Promise<void> => {
    await writeAndWait(call, {});
    for (;;) {
      const records = await watch.next();
      if (records.length === 0) return;
      const made = records.map(after => encodeChange(after.key, { fields: 0, before: undefined, after }));
      for (const part of inParts(made)) await writeAndWait(call, { changes: part });
    }
  };
  try {
    await Promise.race([ended, send()]);
  } finally {
    watch.close();
  }
}

/** Queue of server changes that must still be sent to another core. */
class WaitingChanges {
  readonly #maxBytes: number;
  #changes: EncodedChange[] = [];
  #bytes = 0;
  #wake: (() => void) | undefined;
  #refuse: ((error: ServiceError) => void) | undefined;
  #isClosed = false;
  /** Rejects with CORE_1 when the queued changes of servers need more than `maxBytes`. */
  readonly overflow: Promise<never>;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
    this.overflow = new Promise((_, reject) => {
      this.#refuse = reject;
    });
  }

  add(change: EncodedChange): void {
    if (this.#isClosed) return;
    this.#changes.push(change);
    this.#bytes += sizeOf(change);
    if (this.#bytes > this.#maxBytes) {
      this.close();
      this.#refuse?.(TOO_SLOW);
    } else this.#wake?.();
  }

  /**
   * Waits until the queue of server changes is not empty. Then takes the oldest changes out of the queue, as many as
   * fit into one message, and returns them.
   */
  async take(): Promise<readonly EncodedChange[]> {
    if (this.#changes.length === 0) {
      await new Promise<void>(resolve => {
        this.#wake = resolve;
      });
    }
    // Waits until the end of this turn of the event loop, so that all changes of this turn are sent together. A message
    // for each change would take more CPU time.
    await new Promise(setImmediate);
    const [part = []] = inParts(this.#changes);
    this.#changes.splice(0, part.length);
    for (const change of part) this.#bytes -= sizeOf(change);
    return part;
  }

  close(): void {
    this.#isClosed = true;
    this.#changes = [];
    this.#bytes = 0;
  }
}

/**
 * Keeps the last encoded change of a server. So a change is encoded only once, even if several cores follow the
 * changes. The feed passes the same `Transition` object to all listeners. Therefore `encode` can compare objects to
 * recognise a change that it has already encoded.
 */
class LastEncoded {
  #transition: Transition | undefined;
  #encoded: EncodedChange | undefined;

  encode(transition: Transition): EncodedChange {
    if (transition !== this.#transition || !this.#encoded) {
      this.#transition = transition;
      this.#encoded = encodeChange(transition.key, transition);
    }
    return this.#encoded;
  }
}

function* inParts(changes: readonly EncodedChange[]): Iterable<EncodedChange[]> {
  let part: EncodedChange[] = [];
  let bytes = 0;
  for (const change of changes) {
    part.push(change);
    bytes += sizeOf(change);
    if (bytes < MAX_MESSAGE_BYTES) continue;
    yield part;
    part = [];
    bytes = 0;
  }
  if (part.length > 0) yield part;
}

function sizeOf({ before, after }: EncodedChange): number {
  return CHANGE_BYTES + before.length + after.length;
}
