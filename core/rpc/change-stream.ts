import type { Writable } from 'node:stream';
import { ServiceError } from '../../proto/service-error.ts';
import { slowReader } from '../../proto/streams/slow-reader.ts';
import type { ChangeFeed } from '../feed/change-feed.ts';
import type { FeedReader } from '../feed/feed-reader.ts';
import { resumedSequence, resumeToken } from '../feed/resume-token.ts';

/** Time between two heartbeats of a stream of changes, ms. */
export const HEARTBEAT_MS = 15_000;
/** A stream of changes ends if its caller reads nothing for this number of heartbeat intervals. */
const UNREAD_HEARTBEATS = 4;

const UNREAD = new ServiceError(
  'CORE_1',
  'This stream was read too slowly, so it ends. Open it again with its last resume token.',
  { retryAfterSeconds: 1, facts: slowReader },
);

const MISSED = new ServiceError(
  'CORE_1',
  'Changes were missed because servers have moved to another core, so this stream ends. Open it again.',
  { retryAfterSeconds: 1 },
);

/** Creates the messages of one stream of server changes. */
export interface ChangeMessages<T> {
  /**
   * Yields the snapshot: groups of messages with the present states of all followed servers. Reads the next group from
   * the store only when the previous group is sent. `token`: returns the resume token for the last message.
   */
  snapshot(token: () => string): AsyncIterable<Iterable<T>>;
  /**
   * Returns the messages with the newest state of a changed server. Returns a promise if another core must be asked for
   * this state. `token`: resume token in the last of these messages. `previous`: resume token in all messages before
   * the last; a caller who resumes with it gets this change again. During a snapshot, both tokens are empty.
   */
  change(key: string, token: string, previous: string): readonly T[] | Promise<readonly T[]>;
  heartbeat(token: string): T;
}

/** Options of `ChangeStream`. */
export interface ChangeStreamOptions<T> {
  /** The gRPC stream on which the messages about server changes are sent. */
  call: Writable;
  /** Resolves when the stream must end normally. Rejects with a ServiceError if it must end with this error. */
  over: Promise<void>;
  feed: ChangeFeed;
  /**
   * Creates the reader that takes the changes of servers from the change feed. `KeysReader` explains the parameters.
   */
  follow(since: number, wake: () => void): FeedReader;
  messages: ChangeMessages<T>;
  /** Resume token with which the caller continues an earlier stream of changes; empty if the caller has none. */
  resumeToken: string;
  heartbeatMs: number;
}

/**
 * A stream of messages to one caller: a snapshot of the followed servers, then their changes and heartbeats. If the
 * feed still contains all changes since the caller's resume token, the stream begins with these changes, without a
 * snapshot.
 */
export class ChangeStream<T> {
  readonly #options: ChangeStreamOptions<T>;
  #isOver = false;
  /** Error with which the stream of changes ends. Undefined if the stream ends normally. */
  #refusal: unknown;
  #isHeartbeatDue = false;
  #isSending = false;
  /** Number of heartbeats that became due since the last message was written to the stream of changes. */
  #unread = 0;
  #wake: (() => void) | undefined;
  #sent: (() => void) | undefined;

  constructor(options: ChangeStreamOptions<T>) {
    this.#options = options;
  }

  /**
   * Sends the stream of changes until it ends. Rejects with the error of the promise `over`, or with CORE_1 if the
   * caller does not read or needs a new snapshot.
   */
  async run(): Promise<void> {
    const { feed, over, follow, heartbeatMs } = this.#options;
    over.then(
      () => this.#end(),
      error => this.#end(error),
    );
    const resumed = resumedSequence(feed, this.#options.resumeToken);
    const reader = follow(resumed ?? feed.sequence, () => this.#wake?.());
    const timer = setInterval(() => this.#beat(), heartbeatMs);
    try {
      if (resumed === undefined) await this.#sendSnapshot(reader);
      while (!this.#isOver) await this.#sendNext(reader);
      if (this.#refusal !== undefined) throw this.#refusal;
    } finally {
      clearInterval(timer);
      reader.close();
    }
  }

  /**
   * Sends the snapshot in groups of servers. If the caller reads slowly, the change feed may soon drop changes that are
   * not sent yet. Therefore sends these changes between two groups, so the caller can receive a server twice.
   */
  async #sendSnapshot(reader: FeedReader): Promise<void> {
    const { feed, messages } = this.#options;
    for await (const group of messages.snapshot(() => resumeToken(feed, reader.sequence))) {
      if (reader.mustRestart) throw MISSED;
      for (const message of group) await this.#send(message);
      while (!this.#isOver && reader.isLate) {
        const key = reader.takeChanged();
        if (reader.isLost) throw UNREAD;
        // A change during the snapshot is sent without a resume token, because the caller has not received the whole
        // snapshot yet. If the stream breaks now, the next stream must begin with a new snapshot.
        if (key !== undefined) await this.#sendAll(messages.change(key, '', ''));
      }
      if (this.#isOver) return;
    }
  }

  /**
   * Sends a heartbeat if one is due, or else the next change. If there is nothing to send, waits for the next change or
   * heartbeat.
   */
  async #sendNext(reader: FeedReader): Promise<void> {
    const { feed, messages } = this.#options;
    if (reader.mustRestart) throw MISSED;
    if (this.#isHeartbeatDue) {
      this.#isHeartbeatDue = false;
      await this.#send(messages.heartbeat(resumeToken(feed, reader.sequence)));
      return;
    }
    const previous = resumeToken(feed, reader.sequence);
    const key = reader.takeChanged();
    if (reader.isLost) throw UNREAD;
    if (key === undefined) {
      await new Promise<void>(resolve => {
        this.#wake = resolve;
      });
      return;
    }
    await this.#sendAll(messages.change(key, resumeToken(feed, reader.sequence), previous));
  }

  async #sendAll(made: readonly T[] | Promise<readonly T[]>): Promise<void> {
    for (const message of made instanceof Promise ? await made : made) await this.#send(message);
  }

  /**
   * Sends a message, and resolves when HTTP/2 has sent it. The next message is created only after that. Therefore no
   * messages wait for a slow caller, and each message contains the newest state of a server.
   */
  async #send(message: T): Promise<void> {
    if (this.#isOver) return;
    this.#unread = 0;
    this.#isSending = true;
    await new Promise<void>(resolve => {
      this.#sent = resolve;
      this.#options.call.write(message, () => resolve());
    });
    this.#isSending = false;
    if (this.#unread >= UNREAD_HEARTBEATS) throw UNREAD;
  }

  #beat(): void {
    this.#isHeartbeatDue = true;
    if (!this.#isSending) this.#wake?.();
    else if (++this.#unread >= UNREAD_HEARTBEATS) this.#sent?.();
  }

  #end(refusal?: unknown): void {
    this.#isOver = true;
    this.#refusal = refusal;
    this.#wake?.();
    this.#sent?.();
  }
}
