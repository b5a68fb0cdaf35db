import { type BlobHeader, CorruptBlob, HEADER_BYTES, readHeader, visitFrames } from './blob-format.ts';
import { type BlobName, type BlobSlice, type BlobStore, blobKey } from './blob-store.ts';

/** Maximum number of bytes of a history blob (a stored value) that one request reads. */
const SLICE_BYTES = 256 * 1024;
/** Maximum number of history blobs from which one request reads. With this limit, a reply has at most 1 MB. */
const BLOBS_AT_ONCE = 4;
/**
 * Maximum number of simultaneous requests for history blobs. With this limit, all running reads together need at most
 * 16 MB of memory.
 */
const MOST_REQUESTS = 16;
/**
 * Maximum number of times that the reader starts again to read a history blob. It starts again if the blob was replaced
 * during the read.
 */
const MOST_RESTARTS = 5;

/**
 * Function that the reader calls for each frame of a history blob. A frame contains history data of one server. `hash`:
 * hash of the server key. `body`: the history data; valid only until the function returns.
 */
export type FrameVisitor = (hash: number, body: Buffer) => void;

/**
 * Called when the reader begins to read a history blob. Returns the callback for the frames (history of one server
 * each) of this blob. Called again if the blob is replaced during the read, because the read then starts again.
 */
export type BlobVisitor = (name: string, header: BlobHeader, length: number) => FrameVisitor;

/**
 * Called for each damaged history blob; `header` is its first bytes. If the promise resolves, the reader continues with
 * the next blob. If it rejects, the read fails.
 */
export type OnDamaged = (blob: BlobName, header: Buffer, error: CorruptBlob) => Promise<void>;

/**
 * Reads history blobs (stored values with the data of many servers). Reads them in slices, so that a large blob does
 * not take much memory.
 */
export class BlobReader {
  readonly #blobs: Pick<BlobStore, 'readSlices'>;
  readonly #onDamaged: OnDamaged;
  #requests = 0;
  readonly #waiting: (() => void)[] = [];

  /** `onDamaged`: called with each damaged blob. By default, the read of a damaged blob fails. */
  constructor(blobs: Pick<BlobStore, 'readSlices'>, onDamaged: OnDamaged = failOnDamage) {
    this.#blobs = blobs;
    this.#onDamaged = onDamaged;
  }

  /**
   * Reads blobs of one bucket (group of servers), and passes their frames to `visit`. Calls `onDamaged` for a damaged
   * blob, after its valid frames. Rejects if the storage engine cannot be read.
   */
  async visit(bucket: number, names: readonly string[], visit: BlobVisitor): Promise<void> {
    for (let i = 0; i < names.length; i += BLOBS_AT_ONCE) {
      const some = names.slice(i, i + BLOBS_AT_ONCE);
      const slices = await this.#read(bucket, some, 0);
      for (const [j, name] of some.entries()) {
        const slice = slices[j];
        if (!slice || slice.length === 0) continue;
        await this.#visitBlob(bucket, name, slice, visit).catch((error: unknown) => {
          if (!(error instanceof CorruptBlob)) throw error;
          return this.#onDamaged({ bucket, name }, slice.header, error);
        });
      }
    }
  }

  /**
   * Returns the length and the header of each history blob in `names`, keyed by name. Leaves out blobs that do not
   * exist.
   */
  async headsOf(bucket: number, names: readonly string[]): Promise<Map<string, BlobSlice>> {
    const slices = await this.#blobs.readSlices(
      bucket,
      names.map(name => ({ name, from: 0, bytes: 1 })),
    );
    return new Map(
      names.flatMap((name, i): [string, BlobSlice][] => {
        const slice = slices[i];
        return slice && slice.length > 0 ? [[name, slice]] : [];
      }),
    );
  }

  async #visitBlob(bucket: number, name: string, first: BlobSlice, visit: BlobVisitor): Promise<void> {
    let slice: BlobSlice | undefined = first;
    for (let restarts = 0; restarts <= MOST_RESTARTS; restarts++) {
      if (!slice || slice.length === 0) return;
      if (await this.#visitSlices(bucket, name, slice, visit)) return;
      [slice] = await this.#read(bucket, [name], 0);
    }
    throw new Error(`the history ${name} changes too often to be read`);
  }

  /**
   * Reads a history blob in slices, and passes its frames (history data of one server each) to `visit`. Resolves to
   * false if the blob was replaced during the read.
   */
  async #visitSlices(bucket: number, name: string, first: BlobSlice, visit: BlobVisitor): Promise<boolean> {
    const header = readHeader(first.header);
    const onFrame = visit(name, header, first.length);
    let rest = first.bytes.subarray(HEADER_BYTES);
    rest = rest.subarray(visitFrames(rest, onFrame));
    // Reads only up to the length that the history blob had at the start of the read. Frames that are appended later
    // are ignored.
    for (let at = SLICE_BYTES; at < first.length; at += SLICE_BYTES) {
      const [next] = await this.#read(bucket, [name], at);
      if (!next || next.length < first.length) return false;
      if (readHeader(next.header).generation !== header.generation) return false;
      rest = Buffer.concat([rest, next.bytes.subarray(0, first.length - at)]);
      rest = rest.subarray(visitFrames(rest, onFrame));
    }
    // Each write appends only complete frames to the blob. So an incomplete frame at the end shows that the blob is
    // damaged.
    if (rest.length > 0) throw new CorruptBlob('its last frame is incomplete');
    return true;
  }

  async #read(bucket: number, names: readonly string[], from: number): Promise<BlobSlice[]> {
    if (this.#requests >= MOST_REQUESTS) await new Promise<void>(resolve => this.#waiting.push(resolve));
    else this.#requests++;
    try {
      const slices = names.map(name => ({ name, from, bytes: SLICE_BYTES }));
      return await this.#blobs.readSlices(bucket, slices);
    } finally {
      const next = this.#waiting.shift();
      if (next) next();
      else this.#requests--;
    }
  }
}

/**
 * Callback for damaged history blobs that makes the read fail. It always rejects, with an error that names the damaged
 * blob.
 */
export async function failOnDamage(blob: BlobName, _header: Buffer, { message }: CorruptBlob): Promise<void> {
  throw new CorruptBlob(
    `a part of the history in the storage engine is damaged: ${message}; delete or rename the key ${blobKey(blob)}`,
  );
}
