import type { ServerWritableStream } from '@grpc/grpc-js';
import { ByteWriter } from '../../proto/codec/byte-writer.ts';
import type { CallAccount } from '../../proto/generated/codec/fetch.ts';
import type { HttpBody } from '../../proto/generated/google/api/HttpBody.ts';
import type { WatchServersJsonRequest__Output } from '../../proto/generated/gsq/v1/WatchServersJsonRequest.ts';
import type { ChangeFeed } from '../feed/change-feed.ts';
import { GameReader, KeysReader } from '../feed/feed-reader.ts';
import { writeListedServer } from '../render/listed-server.ts';
import type { ServerRecord } from '../servers/server-record.ts';
import { serverKey } from '../servers/server-record.ts';
import {
  type ChangeMessages,
  ChangeStream,
  type ChangeStreamOptions,
  HEARTBEAT_MS,
} from './change-stream.ts';
import { type Followed, readFollowed } from './followed-servers.ts';
import { isVisible, isVisibleByName, type Reader } from './readers.ts';
import { sendReplyMetadata } from './reply-metadata.ts';
import type { ServerServiceDependencies } from './server-dependencies.ts';
import { shownRecord } from './shown-record.ts';
import { endOrRefusal, streamEnd } from './stream-end.ts';
import type { WatchSlots } from './watch-slots.ts';

type EventsCall = ServerWritableStream<WatchServersJsonRequest__Output, HttpBody>;

/**
 * Size in bytes at which a line of a snapshot is full. The next server then begins a new line. The JSON of one server
 * has at most a few tens of kilobytes, so lines stay far below the message limit of 1 MiB.
 */
const PART_BYTES = 64 * 1024;
/** Maximum number of servers that gsq reads from the store at once for a snapshot of all servers of a game. */
const PAGE_SIZE = 100;

/** Creates the handler of WatchServersJson. */
export function watchServersJson(dependencies: ServerServiceDependencies, slots: WatchSlots) {
  const { readers, catalog, closing, source, heartbeatMs = HEARTBEAT_MS } = dependencies;
  return async (call: EventsCall, account: CallAccount): Promise<void> => {
    // `streamEnd` is called before the first await, so that it notices if the stream ends during this await.
    const ended = streamEnd(call, closing);
    const { reader, charge, watch } = await readers.admit(call);
    account.tokenId = reader.tokenId;
    const followed = readFollowed(call.request, catalog.current());
    account.addresses = followed.keys?.length ?? 0;
    const releaseSlot = slots.acquireSlot(reader);
    let closeSource: (() => void) | undefined;
    try {
      charge();
      sendReplyMetadata(call);
      const over = endOrRefusal(ended, watch);
      closeSource = await source.open();
      await new ChangeStream({
        call,
        over,
        feed: source.feed,
        follow: followerOf(source.feed, followed, reader),
        messages: new EventLines(dependencies, followed, reader),
        resumeToken: call.request.resumeToken,
        heartbeatMs,
      }).run();
    } finally {
      closeSource?.();
      releaseSlot();
    }
  };
}

function followerOf(
  feed: ChangeFeed,
  { keys, gameId }: Followed,
  reader: Reader,
): ChangeStreamOptions<HttpBody>['follow'] {
  return (since, wake) =>
    keys
      ? new KeysReader(feed, keys, since, wake)
      : new GameReader(feed, gameId, change => isVisible(reader, change), since, wake);
}

// All streams can share one writer, because each line is written without an await.
const out = new ByteWriter();

/** Writes the lines of JSON of one stream of server events. */
class EventLines implements ChangeMessages<HttpBody> {
  readonly #dependencies: ServerServiceDependencies;
  readonly #followed: Followed;
  readonly #reader: Reader;

  constructor(dependencies: ServerServiceDependencies, followed: Followed, reader: Reader) {
    this.#dependencies = dependencies;
    this.#followed = followed;
    this.#reader = reader;
  }

  /**
   * Yields the lines of a snapshot of the followed servers. Only the last line contains a resume token. In all other
   * lines, the field `more` is true. A caller that has not received all lines has no token of this snapshot, so it gets
   * a new snapshot when it connects again.
   */
  async *snapshot(token: () => string): AsyncIterable<Iterable<HttpBody>> {
    const { keys, gameId } = this.#followed;
    for await (const parts of keys ? this.#partsOfKeys(keys) : this.#partsOfGame(gameId))
      yield snapshotLines(parts, token);
  }

  change(key: string, token: string): readonly HttpBody[] | Promise<readonly HttpBody[]> {
    const record = this.#dependencies.source.recordOf(key);
    return record instanceof Promise
      ? record.then(read => this.#changeLines(key, read, token))
      : this.#changeLines(key, record, token);
  }

  #changeLines(key: string, record: ServerRecord | undefined, token: string): readonly HttpBody[] {
    startLine('change', token);
    this.#writeServer(key, record);
    return [endLine()];
  }

  heartbeat(token: string): HttpBody {
    startLine('heartbeat', token);
    out.text('{}');
    return endLine();
  }

  async *#partsOfKeys(keys: readonly string[]): AsyncIterable<readonly Part[]> {
    const recordOf = await this.#dependencies.source.lookUp(keys);
    for (let next = 0; ; ) {
      out.length = 0;
      while (next < keys.length && out.length < PART_BYTES) {
        const key = keys[next++] ?? '';
        this.#writeEntry(key, recordOf(key));
      }
      const isLast = next >= keys.length;
      yield [{ part: out.takeBytes(), isLast }];
      if (isLast) return;
    }
  }

  /**
   * Yields the snapshot of all servers of a game. Reads one page of servers from the store at a time, and yields the
   * parts of this page. A part is the JSON of some servers.
   */
  async *#partsOfGame(gameId: string): AsyncIterable<readonly Part[]> {
    const { source } = this.#dependencies;
    for await (const { records, isLast } of source.pages(serverKey(gameId, ''), PAGE_SIZE)) {
      const parts = this.#partsOf(records.filter(record => isVisible(this.#reader, record)));
      if (isLast && parts.length === 0) parts.push(NO_SERVERS);
      yield parts.map((part, i) => ({ part, isLast: isLast && i === parts.length - 1 }));
    }
  }

  #partsOf(records: readonly ServerRecord[]): Buffer[] {
    const parts: Buffer[] = [];
    out.length = 0;
    for (const record of records) {
      this.#writeEntry(record.key, record);
      if (out.length >= PART_BYTES) parts.push(out.takeBytes());
    }
    if (out.length > 0) parts.push(out.takeBytes());
    return parts;
  }

  #writeEntry(key: string, record: ServerRecord | undefined): void {
    if (out.length > 0) out.text(',');
    this.#writeServer(key, record);
  }

  /**
   * Writes the JSON of one followed server. If gsq does not track the server, or the caller may not see it, the JSON
   * contains `"tracked":false` and no payload.
   */
  #writeServer(key: string, record: ServerRecord | undefined): void {
    const { freshness, now } = this.#dependencies;
    if (record && isVisibleByName(this.#reader, record)) {
      writeListedServer(out, shownRecord(this.#reader, record), now(), freshness);
      return;
    }
    const space = key.indexOf(' ');
    const [game, server] = [key.slice(0, space), key.slice(space + 1)];
    out.text(JSON.stringify({ game_id: game, server, tracked: false }));
  }
}

/** A part of a JSON array of servers: the JSON of some servers, separated by commas. */
interface Part {
  part: Buffer;
  isLast: boolean;
}

const NO_SERVERS = Buffer.alloc(0);

function* snapshotLines(parts: readonly Part[], token: () => string): Iterable<HttpBody> {
  for (const { part, isLast } of parts) {
    startLine('snapshot', isLast ? token() : '');
    out.text('{"servers":[');
    out.copy(part);
    out.text(`],"more":${!isLast}}`);
    yield endLine();
  }
}

function startLine(event: string, token: string): void {
  out.length = 0;
  out.text(`{"event":"${event}","id":"${token}","data":`);
}

function endLine(): HttpBody {
  out.text('}\n');
  return { contentType: 'application/x-ndjson', data: out.takeBytes() };
}
