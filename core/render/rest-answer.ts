import type { ByteWriter } from '../../proto/codec/byte-writer.ts';
import type { BodyNotes } from '../../proto/streams/fetch-replies.ts';
import { type RenderedServers, TAG_BYTES } from '../../proto/streams/render-service.ts';
import type { FetchedPair, FetchSink } from '../servers/fetch-request.ts';
import { type FreshnessRules, showAt } from '../servers/freshness.ts';
import type { InvalidPair } from '../servers/pair-check.ts';
import type { FragmentCache } from '../servers/server-store.ts';
import { type ServerView, viewOf } from '../servers/server-view.ts';
import { AnswerTag } from './answer-tag.ts';
import { GzipAnswer } from './gzip-answer.ts';
import { renderInvalid, writePayloadEnd } from './payload.ts';
import { writePlainFragment } from './plain-fragment.ts';

/**
 * Key of the metadata in a REST answer. The other keys are the addresses from the request. If a request contains the
 * address `_meta`, the answer has no entry for it, but the metadata lists it as invalid.
 */
const RESERVED_KEY = '_meta';

const OPEN = 0x7b;
const CLOSE = 0x7d;
const QUOTE = 0x22;
const KEY_END = Buffer.from('":');
const COMMA = 0x2c;
const META = Buffer.from('"_meta":');
/**
 * The last bytes of an answer if gsq has inserted no server and all addresses are valid. They contain the key `_meta`,
 * its value, and the closing brace of the answer.
 */
const QUIET_META = Buffer.from('"_meta":{"auto_inserted":0,"inserted_servers":[],"invalid_servers":[]}}');

/** A pair of game and address, as it is written in the object `_meta` of a REST answer. */
interface Ref {
  game_id: string;
  server: string;
}

const refOf = ({ gameId, server }: FetchedPair): Ref => ({ game_id: gameId, server });

/**
 * Writes the answer to a REST fetch, server by server, as one JSON object. The keys are the addresses as the caller
 * wrote them, in order of first appearance. The last key is `_meta`. SPEC (fetch response) and CONTRACT (`_meta`)
 * define the format.
 */
export class RestAnswer implements FetchSink {
  readonly #out: ByteWriter;
  readonly #rules: FreshnessRules;
  readonly #now: number;
  readonly #gzip: GzipAnswer | undefined;
  readonly #plainFragments: FragmentCache | undefined;
  readonly #tag = new AnswerTag();
  #invalid: (Ref & InvalidPair)[] | undefined;

  /**
   * Starts an answer at the current end of the buffer `out`. With `gzipFragments`, a cache of compressed servers, the
   * answer is gzip. Without it, the answer is plain JSON. `plainFragments`: cache of the plain JSON of single servers.
   */
  constructor(
    out: ByteWriter,
    now: number,
    rules: FreshnessRules,
    gzipFragments?: FragmentCache,
    plainFragments?: FragmentCache,
  ) {
    this.#out = out;
    this.#now = now;
    this.#rules = rules;
    this.#gzip = gzipFragments && new GzipAnswer(out, gzipFragments);
    this.#plainFragments = plainFragments;
    out.byte(OPEN);
  }

  known(_gameId: string, text: Buffer, start: number, end: number, server: ServerView): void {
    // Copies the address unchanged. The caller never passes an address with characters that JSON must escape.
    this.#key(text, start, end);
    this.#payload(text, start, end, server);
  }

  rendered(
    _gameId: string,
    text: Buffer,
    start: number,
    end: number,
    rendered: RenderedServers,
    index: number,
  ): void {
    if (this.#gzip) throw new Error('a server of another core is not written as gzip');
    this.#key(text, start, end);
    this.#out.copyRange(rendered.bytes, rendered.spans[2 * index] ?? 0, rendered.spans[2 * index + 1] ?? 0);
    this.#out.byte(COMMA);
    this.#tag.rendered(text, start, end, rendered.bytes, rendered.tagsStart + TAG_BYTES * index);
  }

  invalid(gameId: string, server: string, invalid: InvalidPair): void {
    this.#invalid ??= [];
    this.#invalid.push({ game_id: gameId, server, ...invalid });
    if (server === RESERVED_KEY) return;
    this.#out.text(`${JSON.stringify(server)}:${renderInvalid(invalid.message)},`);
  }

  /**
   * Writes the whole answer from the results of `ServerFetch.fetch`, as plain JSON. Throws an Error if this object was
   * created for a gzip answer.
   */
  pairs(pairs: readonly FetchedPair[]): BodyNotes {
    if (this.#gzip) throw new Error('pairs are not written as gzip');
    const out = this.#out;
    const shown = this.#chosen(pairs);
    for (const [server, { record, invalid }] of shown) {
      const text = Buffer.from(server);
      out.text(`${JSON.stringify(server)}:`);
      if (record) this.#payload(text, 0, text.length, viewOf(record));
      else out.text(`${renderInvalid(invalid?.message ?? 'This server was removed just now.')},`);
    }
    // If a request contains an address with several games, the answer shows only one of these servers. `duplicates`:
    // the pairs of game and address whose server is not shown. Pairs that contain different names of one game, such as
    // its id and an alias, mean the same server. They are no duplicates.
    const duplicates = pairs.filter(({ server, record }) => {
      const key = shown.get(server)?.record?.key;
      return record && key !== undefined && record.key !== key;
    });
    this.#report(
      pairs.filter(pair => pair.inserted).map(refOf),
      pairs.flatMap(pair => (pair.invalid ? [{ ...refOf(pair), ...pair.invalid }] : [])),
      duplicates.map(refOf),
    );
    return { tag: this.#tag.end(), gzipped: false };
  }

  /**
   * Ends the REST answer. Returns undefined if a gzip answer is incomplete, for example because too many servers were
   * not in the cache. The caller must discard the bytes of an incomplete answer.
   */
  end(): BodyNotes | undefined {
    if (this.#invalid) this.#report([], this.#invalid, []);
    else this.#out.copy(QUIET_META);
    if (this.#gzip && !this.#gzip.end()) return undefined;
    return { tag: this.#tag.end(), gzipped: this.#gzip !== undefined };
  }

  #key(text: Buffer, start: number, end: number): void {
    const out = this.#out;
    out.byte(QUOTE);
    out.copyRange(text, start, end);
    out.copy(KEY_END);
  }

  #payload(text: Buffer, textStart: number, textEnd: number, server: ServerView): void {
    const out = this.#out;
    const stale = showAt(server, this.#now, this.#rules);
    if (this.#gzip) this.#gzip.addServer(server);
    else writePlainFragment(out, server, this.#plainFragments);
    writePayloadEnd(out, stale);
    out.byte(COMMA);
    this.#tag.server(text, textStart, textEnd, server, stale);
  }

  #report(inserted: Ref[], invalid: (Ref & InvalidPair)[], duplicates: Ref[]): void {
    const meta = {
      auto_inserted: inserted.length,
      inserted_servers: inserted,
      invalid_servers: invalid,
      ...(duplicates.length > 0 ? { duplicate_servers: duplicates } : {}),
    };
    const text = JSON.stringify(meta);
    this.#out.copy(META);
    this.#out.text(text);
    this.#out.byte(CLOSE);
    this.#tag.text(text);
  }

  /**
   * Returns one result for each address, in the order of first appearance. A request can list the same address for
   * several games, but the answer has only one entry for an address.
   */
  #chosen(pairs: readonly FetchedPair[]): Map<string, FetchedPair> {
    const shown = new Map<string, FetchedPair>();
    for (const pair of pairs) {
      if (pair.server === RESERVED_KEY) continue;
      const other = shown.get(pair.server);
      if (!other || this.#rank(pair) > this.#rank(other)) shown.set(pair.server, pair);
    }
    return shown;
  }

  /**
   * Returns the rank of a pair of game and address: 2 for an online server, 1 for any other tracked server, otherwise
   * 0. If an address has several games, the answer shows the pair with the highest rank.
   */
  #rank({ record }: FetchedPair): number {
    if (!record) return 0;
    const view = viewOf(record);
    showAt(view, this.#now, this.#rules);
    return view.status === 'online' ? 2 : 1;
  }
}
