import type { BlobName } from './blob-store.ts';

/**
 * A frame of the history in the queue: new data of one server, not stored durably yet. `serverKey`: key of the server.
 * `body`: the data.
 */
export interface PendingFrame {
  readonly serverKey: string;
  readonly body: Buffer;
}

/** The queued history data for one blob (stored string), the oldest first. */
export interface PendingBlob extends BlobName {
  readonly frames: readonly PendingFrame[];
}

/** Bounded queue of frames (history data of one server each) that must be appended to blobs. */
export class PendingFrames {
  readonly #most: number;
  /** The queued frames for each blob, keyed by bucket (group of servers) and blob name. No list of frames is empty. */
  readonly #blobs = new Map<string, BlobName & { frames: PendingFrame[] }>();
  #size = 0;
  #dropped = 0;

  /**
   * `most`: maximum number of queued frames (history of one server each). If the queue is full, each new frame
   * displaces an old one. The queue chooses the blob that has had queued frames for the longest time, and drops its
   * oldest frame.
   */
  constructor(most: number) {
    this.#most = most;
  }

  get size(): number {
    return this.#size;
  }

  /** Number of frames that were dropped because the queue was full. */
  get dropped(): number {
    return this.#dropped;
  }

  /** Returns the queued history data of one server for one blob (stored value), the oldest first. */
  bodiesOf({ bucket, name }: BlobName, serverKey: string): Buffer[] {
    const frames = this.#blobs.get(placeOf(bucket, name))?.frames ?? [];
    return frames.flatMap(frame => (frame.serverKey === serverKey ? [frame.body] : []));
  }

  /**
   * Queues history data of one server for the blob `name` of `bucket`. Returns false if the queue was full and older
   * data was dropped.
   */
  add({ bucket, name }: BlobName, frame: PendingFrame): boolean {
    const place = placeOf(bucket, name);
    const blob = this.#blobs.get(place) ?? { bucket, name, frames: [] };
    this.#blobs.set(place, blob);
    blob.frames.push(frame);
    this.#size++;
    if (this.#size <= this.#most) return true;
    const [oldest] = this.#blobs.values();
    if (oldest) this.finish({ ...oldest, frames: oldest.frames.slice(0, 1) });
    this.#dropped++;
    return false;
  }

  /** Returns all queued frames in groups of at most `most` frames. They stay queued until `finish` removes them. */
  groups(most: number): PendingBlob[][] {
    const groups: PendingBlob[][] = [];
    let group: PendingBlob[] = [];
    let size = 0;
    for (const { bucket, name, frames } of this.#blobs.values()) {
      for (let from = 0; from < frames.length; from += most) {
        const some = frames.slice(from, from + most);
        if (size + some.length > most) {
          groups.push(group);
          group = [];
          size = 0;
        }
        group.push({ bucket, name, frames: some });
        size += some.length;
      }
    }
    if (group.length > 0) groups.push(group);
    return groups;
  }

  /** Removes frames from the queue, because they are durable or need not be written any more. */
  finish({ bucket, name, frames }: PendingBlob): void {
    const place = placeOf(bucket, name);
    const blob = this.#blobs.get(place);
    if (!blob) return;
    const done = new Set(frames);
    const before = blob.frames.length;
    blob.frames = blob.frames.filter(frame => !done.has(frame));
    this.#size -= before - blob.frames.length;
    if (blob.frames.length === 0) this.#blobs.delete(place);
  }
}

function placeOf(bucket: number, name: string): string {
  return `${bucket} ${name}`;
}
