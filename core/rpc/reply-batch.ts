import type { Writable } from 'node:stream';
import { ByteWriter } from '../../proto/codec/byte-writer.ts';
import type { Allowance } from '../../proto/generated/codec/fetch.ts';
import type { Status__Output } from '../../proto/generated/google/rpc/Status.ts';
import { openReply, writeError } from '../../proto/streams/fetch-replies.ts';

/**
 * Replies in one message. A reader works on one message while the next is filled, so more replies than this keep it
 * waiting for the first; one reply a message costs the reader twice as much.
 */
const BATCH_REPLIES = 8;
/** A message larger than this leaves before the turn of the event loop is over: HTTP/2 windows are seldom larger. */
const BATCH_BYTES = 64 * 1024;

/** The stream that replies are written to; reading from it can be paused. */
type ReplyStream = Pick<Writable, 'destroyed' | 'write' | 'once'> & {
  isPaused(): boolean;
  pause(): unknown;
  resume(): unknown;
};

/** Gathers the replies of one turn of the event loop into few messages. */
export class ReplyBatch {
  readonly #stream: ReplyStream;
  readonly #writer = new ByteWriter();
  #scheduled = false;
  #replies = 0;

  constructor(stream: ReplyStream) {
    this.#stream = stream;
  }

  /** Adds a reply whose outcome `write` appends. If `write` throws, the batch stays as it was. */
  addReply(id: number, allowances: readonly Allowance[], write: (writer: ByteWriter) => void): void {
    const writer = this.#writer;
    const before = writer.length;
    let complete = false;
    try {
      const start = openReply(writer, id, allowances);
      write(writer);
      writer.close(start);
      complete = true;
    } finally {
      if (!complete) writer.length = before;
    }
    this.#replies++;
    if (this.#replies >= BATCH_REPLIES || writer.length >= BATCH_BYTES) this.flush();
    else if (!this.#scheduled) {
      this.#scheduled = true;
      setImmediate(this.#flushTurn);
    }
  }

  addError(id: number, allowances: readonly Allowance[], error: Status__Output): void {
    this.addReply(id, allowances, writer => writeError(writer, error));
  }

  readonly #flushTurn = (): void => {
    this.#scheduled = false;
    this.flush();
  };

  /** Sends the replies gathered so far. Pauses reading from the stream while its peer does not read. */
  flush(): void {
    this.#replies = 0;
    if (this.#writer.length === 0 || this.#stream.destroyed) return;
    if (this.#stream.write(this.#writer.take()) || this.#stream.isPaused()) return;
    this.#stream.pause();
    this.#stream.once('drain', () => this.#stream.resume());
  }
}
