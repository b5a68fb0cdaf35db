import { randomBytes } from 'node:crypto';
import { Mutex } from '../../../runtime/mutex.ts';
import { CorruptBlob, encodeFrame, encodeHeader, hashServer, readHeader, SALT_BYTES } from './blob-format.ts';
import type { OnDamaged } from './blob-reader.ts';
import type { BlobAppend, BlobName, BlobStore } from './blob-store.ts';
import { type PendingBlob, PendingFrames } from './pending-frames.ts';

/**
 * Maximum number of queued frames (history data of one server each). They take about 100 MB. If no write succeeds, the
 * history of a million servers fills the queue in 24 minutes.
 */
const MOST_PENDING = 400_000;
/** Maximum number of frames in one batch of writes. */
const BATCH = 4_000;
/**
 * Maximum number of history blobs whose salts (keys of server hashes) this core remembers. A forgotten salt costs only
 * one more attempt: the blob refuses the next append, and this refusal contains the right salt.
 */
const MOST_SALTS = 50_000;

/** Dependencies of `FrameWriter` (queues history data of servers, and writes it to blobs). */
export interface FrameWriterDependencies {
  blobs: Pick<BlobStore, 'epochOf' | 'append'>;
  /**
   * Returns the time (Unix ms) at which a history blob (a stored value) expires. Called whenever data is appended to
   * the blob. `name`: name of the blob.
   */
  expiresAt: (name: string) => number;
  /** Called when queued data was durably appended to a history blob. */
  onWritten: (blob: PendingBlob) => void;
  onDropped: () => void;
  /**
   * Called if a stored blob is so damaged that no data can be appended to it. Must move the blob aside, so that the
   * next attempt can create a new blob.
   */
  onDamaged: OnDamaged;
}

/** Queues frames, and appends them in batches to the history blobs. Frames whose write fails stay queued. */
export class FrameWriter {
  readonly pending = new PendingFrames(MOST_PENDING);
  readonly #dependencies: FrameWriterDependencies;
  /**
   * Salts of the history blobs to which this core has appended data, keyed by bucket and name of the blob. The hashes
   * of the servers in a blob depend on its salt.
   */
  readonly #salts = new Map<string, Buffer>();
  readonly #flushes = new Mutex();
  /** The flush (write of all queued frames) that was requested and has not begun yet. Undefined if there is none. */
  #next: Promise<void> | undefined;
  #written = 0;
  #failures = 0;

  constructor(dependencies: FrameWriterDependencies) {
    this.#dependencies = dependencies;
  }

  /** Number of frames that this writer has made durable since the start. */
  get written(): number {
    return this.#written;
  }

  /** Number of batches of frames whose write failed. */
  get failures(): number {
    return this.#failures;
  }

  /**
   * Queues history data of the server with this `serverKey`. The data is later appended to the history blob. `body`:
   * the encoded data.
   */
  add(blob: BlobName, serverKey: string, body: Buffer): void {
    if (!this.pending.add(blob, { serverKey, body })) this.#dependencies.onDropped();
  }

  /**
   * Writes all frames that are queued now. Resolves when they are durable. Rejects if a write fails; the frames that
   * are not written yet stay queued. Drops frames of servers that another core owns now.
   */
  flush(): Promise<void> {
    // Waits for the next flush, even if a flush is running. A running flush does not write history data that was queued
    // after its start.
    this.#next ??= this.#flushes.run(() => {
      this.#next = undefined;
      return this.#flushAll();
    });
    return this.#next;
  }

  async #flushAll(): Promise<void> {
    for (const group of this.pending.groups(BATCH)) {
      try {
        await this.#write(group);
      } catch (error) {
        this.#failures++;
        throw error;
      }
    }
  }

  async #write(group: readonly PendingBlob[]): Promise<void> {
    const { blobs, onWritten } = this.#dependencies;
    let left = group.filter(blob => {
      // Drops the frames of servers that another core owns now. Their samples are not lost: the new owner reads them
      // from the stored server records.
      if (blobs.epochOf(blob.bucket) !== undefined) return true;
      this.pending.finish(blob);
      return false;
    });
    // Tries up to three times to append the frames (history of one server each) to their blobs. A blob refuses an
    // append if it is damaged, or if its salt (key of the server hashes) is different. The next attempt uses the salt
    // of the blob. The third attempt is for a blob that has expired meanwhile, and that another core has created anew
    // with another salt.
    for (let attempt = 0; left.length > 0; attempt++) {
      if (attempt === 3) throw new Error('the salt of a part of the history changes again and again');
      const stored = await blobs.append(left.map(blob => this.#appendOf(blob)));
      const refused: PendingBlob[] = [];
      for (const [i, blob] of left.entries()) {
        const header = stored[i];
        if (header) {
          await this.#learnSalt(blob, header);
          refused.push(blob);
          continue;
        }
        this.pending.finish(blob);
        this.#written += blob.frames.length;
        onWritten(blob);
      }
      left = refused;
    }
  }

  /** Reads the salt in the header of a stored blob. If the header is damaged, the blob is moved aside. */
  async #learnSalt(blob: BlobName, header: Buffer): Promise<void> {
    try {
      this.#noteSalt(blob, readHeader(header).salt);
    } catch (error) {
      if (!(error instanceof CorruptBlob)) throw error;
      await this.#dependencies.onDamaged(blob, header, error);
    }
  }

  #appendOf({ bucket, name, frames }: PendingBlob): BlobAppend {
    const salt = this.#saltOf(bucket, name);
    return {
      bucket,
      name,
      header: encodeHeader({ generation: 0, rolledBytes: 0, salt }),
      frames: Buffer.concat(
        frames.map(({ serverKey, body }) => encodeFrame(hashServer(salt, serverKey), body)),
      ),
      expiresAt: this.#dependencies.expiresAt(name),
    };
  }

  #saltOf(bucket: number, name: string): Buffer {
    const known = this.#salts.get(`${bucket} ${name}`);
    if (known) return known;
    const salt = randomBytes(SALT_BYTES);
    this.#noteSalt({ bucket, name }, salt);
    return salt;
  }

  #noteSalt({ bucket, name }: BlobName, salt: Buffer): void {
    const place = `${bucket} ${name}`;
    this.#salts.delete(place);
    this.#salts.set(place, Buffer.from(salt));
    if (this.#salts.size <= MOST_SALTS) return;
    const [oldest] = this.#salts.keys();
    if (oldest !== undefined) this.#salts.delete(oldest);
  }
}
