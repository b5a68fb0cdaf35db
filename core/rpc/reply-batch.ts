import type { Writable } from 'node:stream';
import { ByteWriter } from '../../proto/codec/byte-writer.ts';
import type { Allowance, CallAccount } from '../../proto/generated/codec/fetch.ts';
import type { Status__Output } from '../../proto/generated/google/rpc/Status.ts';
import { openReply, writeAccount, writeError } from '../../proto/streams/fetch-replies.ts';
import { LengthPrefixed } from './length-prefixed.ts';

/**
 * Maximum number of replies in one message of a stream. With a higher maximum, the receiver would wait longer for the
 * first message. With one reply in each message, the receiver would need twice as much CPU time.
 */
const BATCH_REPLIES = 8;
/**
 * A message with replies is sent immediately when it has this size in bytes. A smaller message waits for more replies
 * until the end of the turn of the event loop. The limit exists because a larger message would seldom fit into the
 * flow-control window of HTTP/2.
 */
const BATCH_BYTES = 64 * 1024;

/**
 * Stream to which a `ReplyBatch` writes its replies. The batch can also pause the stream, which then reads no more
 * messages from the peer.
 */
type ReplyStream = Pick<Writable, 'destroyed' | 'write' | 'once'> & {
  isPaused(): boolean;
  pause(): unknown;
  resume(): unknown;
};

/**
 * Collects the replies of one stream, and sends several replies in one message. This takes less CPU time than one
 * message for each reply. A reply waits at most until the end of the current turn of the event loop.
 */
export class ReplyBatch {
  readonly #stream: ReplyStream;
  readonly #writer = new ByteWriter();
  #scheduled = false;
  #replies = 0;

  constructor(stream: ReplyStream) {
    this.#stream = stream;
    LengthPrefixed.begin(this.#writer);
  }

  /**
   * Adds a reply to the batch, which sends several replies together. `write` appends the content of the reply, and
   * returns true. If `write` returns false, no reply is added. `addReply` returns the result of `write`.
   */
  addReply(id: number, allowances: readonly Allowance[], write: (writer: ByteWriter) => boolean): boolean {
    const writer = this.#writer;
    const before = writer.length;
    let complete = false;
    try {
      const start = openReply(writer, id, allowances);
      complete = write(writer);
      writer.closeField(start);
    } finally {
      if (!complete) writer.length = before;
    }
    if (complete) this.#replies++;
    if (this.#replies >= BATCH_REPLIES || writer.length >= BATCH_BYTES) this.flush();
    else if (complete && !this.#scheduled) {
      this.#scheduled = true;
      setImmediate(this.#flushTurn);
    }
    return complete;
  }

  /**
   * Adds an error reply to the batch, which sends several replies together. `account`: data about the call, for the
   * access log. Absent if the caller was not authenticated.
   */
  addError(id: number, allowances: readonly Allowance[], error: Status__Output, account?: CallAccount): void {
    this.addReply(id, allowances, writer => {
      if (account) writeAccount(writer, account);
      return writeError(writer, error);
    });
  }

  readonly #flushTurn = (): void => {
    this.#scheduled = false;
    this.flush();
  };

  /**
   * Sends the replies collected so far. If the peer does not read them, the stream stops reading from the peer until
   * the peer reads again.
   */
  flush(): void {
    this.#replies = 0;
    if (LengthPrefixed.isEmpty(this.#writer) || this.#stream.destroyed) return;
    if (this.#stream.write(LengthPrefixed.take(this.#writer)) || this.#stream.isPaused()) return;
    this.#stream.pause();
    this.#stream.once('drain', () => this.#stream.resume());
  }
}
