import { setImmediate as nextTurn } from 'node:timers/promises';
import { promisify } from 'node:util';
import { gzip, type ZlibOptions } from 'node:zlib';
import type { Metadata } from '@grpc/grpc-js';
import { ANSWER_ENCODING_KEY } from '../../proto/clients.ts';
import { ByteWriter } from '../../proto/codec/byte-writer.ts';
import type { HttpBody } from '../../proto/generated/google/api/HttpBody.ts';
import { ServerList } from '../render/server-list.ts';
import type { FreshnessRules } from '../servers/freshness.ts';
import { newPointer } from '../servers/record-pointer.ts';
import { type ServerRecord, splitKey } from '../servers/server-record.ts';
import type { ServerStore } from '../servers/server-store.ts';
import { emptyView, showPointer, viewOf } from '../servers/server-view.ts';
import { jsonBody } from './json-body.ts';
import { isVisible, type Reader } from './readers.ts';
import { replyMetadata } from './reply-metadata.ts';
import { shownRecord } from './shown-record.ts';

/** One page of the tracked servers that a search found. `reader` is the caller that searched. */
export interface ServerPage {
  readonly reader: Reader;
  /**
   * Keys (`serverKey`) of the servers on the page, in the order of the list. This core owns all these servers. Absent
   * if `records` is given.
   */
  readonly keys?: readonly string[];
  /**
   * Records of the servers on the page, in the order of the list. Present if the servers of several cores were
   * searched; in that case, `keys` is absent.
   */
  readonly records?: readonly ServerRecord[];
  readonly nextPageToken: string;
  readonly total: number;
}

/**
 * Returns the records of the servers on a page of a list. Leaves out servers and player lists that the reader must not
 * see.
 */
export function recordsOf(
  store: Pick<ServerStore, 'getMany'>,
  { reader, keys = [], records }: ServerPage,
): ServerRecord[] {
  // Checks again whether the caller may see the found servers, because they can change while the search runs: a server
  // can be removed, or inserted again with the token of another user.
  return (records ?? store.getMany(keys)).flatMap(record =>
    record && isVisible(reader, record) ? [shownRecord(reader, record)] : [],
  );
}

/** Dependencies of `JsonPages` (writes pages of server lists as JSON). */
export interface JsonPagesDependencies {
  store: Pick<ServerStore, 'getMany' | 'findKey' | 'plainFragments'>;
  freshness: FreshnessRules;
  now: () => number;
  /**
   * True if the pages are sent on the internal port, and false for the public port. On the internal port, a gateway can
   * ask for a compressed page.
   */
  trusted: boolean;
}

/** Gzip level of all compressed answers. */
const LEVEL = 1;
const compress = promisify<Buffer, ZlibOptions, Buffer>(gzip);

/**
 * Maximum number of servers that are written in one turn of the event loop, which takes about 0.2 ms. Between two turns,
 * the core answers the fetches that have arrived.
 */
const SERVERS_A_TURN = 16;

/** Maximum number of unused writers that are kept for later pages. */
const MOST_SPARE = 4;

/** Smallest buffer that zlib accepts for its result, in bytes. */
const MIN_CHUNK = 64;

/** Writes pages of lists of tracked servers as JSON. */
export class JsonPages {
  readonly #dependencies: JsonPagesDependencies;
  /** Unused writers. A page needs one until it is written completely. */
  readonly #writers: ByteWriter[] = [];
  // All pages use the same pointer and view, to avoid new objects for each server. This is safe, because one server is
  // written completely before the next server begins.
  readonly #pointer = newPointer();
  readonly #view = emptyView();

  constructor(dependencies: JsonPagesDependencies) {
    this.#dependencies = dependencies;
  }

  /**
   * Returns one page of a list of servers as an HTTP body. A gateway can ask for two additions, which save work in the
   * gateway: an entity tag, and gzip compression for a client that accepts it (docs/performance.md, Search).
   */
  async answer(call: { metadata: Metadata }, page: ServerPage): Promise<HttpBody> {
    const { trusted } = this.#dependencies;
    const { json, tag } = await this.#write(page);
    const [encoding] = trusted ? call.metadata.get(ANSWER_ENCODING_KEY) : [];
    if (encoding === undefined) return jsonBody(json);
    const metadata = replyMetadata(call);
    metadata.set('etag', tag);
    if (encoding !== 'gzip') return jsonBody(json);
    metadata.set(ANSWER_ENCODING_KEY, 'gzip');
    // With room for the whole result, zlib compresses the page in one step. Each further step would be one more task for
    // a thread of libuv and one more turn of the event loop.
    return jsonBody(await compress(json, { level: LEVEL, chunkSize: Math.max(MIN_CHUNK, json.length) }));
  }

  async #write(page: ServerPage): Promise<{ json: Buffer; tag: string }> {
    const { store, freshness, now } = this.#dependencies;
    const writer = this.#writers.pop() ?? new ByteWriter();
    writer.length = 0;
    const list = new ServerList(writer, now(), freshness, store.plainFragments);
    const { keys, records, ...rest } = page;
    const servers = keys ?? records ?? [];
    for (let from = 0; from < servers.length; from += SERVERS_A_TURN) {
      if (from > 0) await nextTurn();
      const to = from + SERVERS_A_TURN;
      this.#addServers(list, {
        ...rest,
        ...(keys && { keys: keys.slice(from, to) }),
        ...(records && { records: records.slice(from, to) }),
      });
    }
    const tag = list.end(page.nextPageToken, page.total);
    const json = writer.takeBytes();
    if (this.#writers.length < MOST_SPARE) this.#writers.push(writer);
    return { json, tag };
  }

  #addServers(list: ServerList, page: ServerPage): void {
    const { store } = this.#dependencies;
    const { scope, seesPlayers } = page.reader;
    if (scope !== 'all' || !seesPlayers || !page.keys) {
      for (const record of recordsOf(store, page)) list.addServer(record, viewOf(record));
      return;
    }
    // Fast path for a caller who may see all servers and their players: uses cached JSON of the servers. For 100
    // servers, this saves 0.3 ms, compared with encoding each record again.
    for (const key of page.keys) {
      if (!store.findKey(key, this.#pointer)) continue;
      const [gameId, address] = splitKey(key);
      showPointer(this.#view, this.#pointer);
      list.addServer({ gameId, address }, this.#view);
    }
  }
}
