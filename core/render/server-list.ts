import type { ByteWriter } from '../../proto/codec/byte-writer.ts';
import { type FreshnessRules, showAt } from '../servers/freshness.ts';
import type { ServerRecord } from '../servers/server-record.ts';
import type { FragmentCache } from '../servers/server-store.ts';
import type { ServerView } from '../servers/server-view.ts';
import { AnswerTag } from './answer-tag.ts';
import { writeListedView } from './listed-server.ts';

const COMMA = 0x2c;

/** Writes one page of a list of tracked servers as JSON, and makes the entity tag of this page. */
export class ServerList {
  readonly #out: ByteWriter;
  readonly #now: number;
  readonly #rules: FreshnessRules;
  readonly #fragments: FragmentCache;
  readonly #tag = new AnswerTag();
  #isEmpty = true;

  /**
   * Starts a page of a list of servers. Appends the page to the bytes in `out`. `fragments`: cache that contains the
   * JSON of single servers.
   */
  constructor(out: ByteWriter, now: number, rules: FreshnessRules, fragments: FragmentCache) {
    this.#out = out;
    this.#now = now;
    this.#rules = rules;
    this.#fragments = fragments;
    out.text('{"servers":[');
  }

  /**
   * Appends a tracked server to the page of the list. `view`: the data of the server as it is stored. `showAt` corrects
   * the status and the reason in `view` before they are written, because the stored values can be out of date.
   */
  addServer(server: Pick<ServerRecord, 'gameId' | 'address'>, view: ServerView): void {
    if (!this.#isEmpty) this.#out.byte(COMMA);
    this.#isEmpty = false;
    const stale = showAt(view, this.#now, this.#rules);
    writeListedView(this.#out, server, view, stale, this.#fragments);
    this.#tag.text(server.gameId);
    this.#tag.server(view.addressBytes, view.addressStart, view.addressEnd, view, stale);
  }

  /**
   * Ends the page of the list, and returns its entity tag as the value of the header `ETag`. The tag is weak, because
   * it is the same for the uncompressed and the compressed form of the page.
   */
  end(nextPageToken: string, total: number): string {
    const end = `],"next_page_token":"${nextPageToken}","total_size":${total}}`;
    this.#out.text(end);
    this.#tag.text(end);
    return `W/"${Buffer.from(this.#tag.end()).toString('base64url')}"`;
  }
}
