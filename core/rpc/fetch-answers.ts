import type { ByteWriter } from '../../proto/codec/byte-writer.ts';
import type { AddressGroup } from '../../proto/generated/codec/fetch.ts';
import { writeFetched } from '../../proto/streams/fetch-replies.ts';
import { RestAnswer } from '../render/rest-answer.ts';
import type { FetchedPair } from '../servers/fetch-request.ts';
import type { FreshnessRules } from '../servers/freshness.ts';
import type { KnownServers } from '../servers/known-servers.ts';
import type { ServerFetch } from '../servers/server-fetch.ts';
import type { FragmentCache } from '../servers/server-store.ts';

/**
 * Maximum number of servers in an answer that is concatenated from cached gzip fragments (compressed data of one server
 * each). A larger answer is compressed in one pass, because this makes it smaller: 100 servers take 35 KB if
 * concatenated and 13 KB in one pass (docs/performance.md).
 */
const MAX_CONCATENATED = 128;

/** Dependencies of `FetchAnswers`. */
export interface FetchAnswersDependencies {
  fetch: ServerFetch;
  freshness: FreshnessRules;
  now: () => number;
}

/** Writes the bodies of REST answers to fetches. */
export class FetchAnswers {
  readonly #dependencies: FetchAnswersDependencies;

  constructor(dependencies: FetchAnswersDependencies) {
    this.#dependencies = dependencies;
  }

  /**
   * Writes the answer to a fetch from the servers that `ServerFetch.findKnown` found. If the caller accepts gzip,
   * concatenates cached gzip fragments (compressed data of one server each). Writes plain JSON if there are too many
   * servers, or if too many of them are not in the cache.
   */
  writeKnown(
    writer: ByteWriter,
    known: KnownServers,
    groups: readonly AddressGroup[],
    acceptGzip: boolean,
  ): void {
    const { fragments } = this.#dependencies.fetch;
    const isSmall = known.count <= MAX_CONCATENATED;
    if (acceptGzip && isSmall && this.#write(writer, known, groups, fragments)) return;
    this.#write(writer, known, groups, undefined);
  }

  /** Writes the result of `ServerFetch.fetch` as JSON. */
  writePairs(writer: ByteWriter, pairs: readonly FetchedPair[]): void {
    const { now, freshness } = this.#dependencies;
    writeFetched(writer, () => new RestAnswer(writer, now(), freshness).pairs(pairs));
  }

  /**
   * Writes the answer as gzip if `gzipFragments` is given, and as plain JSON if it is not. If the gzip answer would be
   * incomplete, writes nothing and returns false. One cause is that too many servers are not in the cache.
   */
  #write(
    writer: ByteWriter,
    known: KnownServers,
    groups: readonly AddressGroup[],
    gzipFragments: FragmentCache | undefined,
  ): boolean {
    const { fetch, now, freshness } = this.#dependencies;
    return writeFetched(writer, () => {
      const answer = new RestAnswer(writer, now(), freshness, gzipFragments, fetch.plainFragments);
      known.writeTo(answer, groups);
      return answer.end();
    });
  }
}
