import type { ByteWriter } from '../../proto/codec/byte-writer.ts';
import type { AddressGroup } from '../../proto/generated/codec/fetch.ts';
import { writeFetched } from '../../proto/streams/fetch-replies.ts';
import { RestAnswer } from '../render/rest-answer.ts';
import { countSpans, type FetchedPair } from '../servers/fetch-request.ts';
import type { FreshnessRules } from '../servers/freshness.ts';
import type { RemoteAnswers } from '../servers/remote-answers.ts';
import type { ServerFetch } from '../servers/server-fetch.ts';
import type { FragmentCache } from '../servers/server-store.ts';

/**
 * An answer with at most this number of servers is built from gzip fragments, one for each server. Fragments save CPU
 * time, but make the answer larger. With fragments, an answer with 100 servers takes 35 KB. If it is compressed as a
 * whole, it takes 13 KB.
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
   * Writes the answer to a fetch of tracked servers, as gzip or as plain JSON. If the data of some servers is missing,
   * for example because they are not tracked yet, writes nothing and returns false. The caller must then use another
   * method of `ServerFetch`. `answers`: JSON of the servers that other cores own. With `answers`, the answer is always
   * plain JSON.
   */
  writeKnown(
    writer: ByteWriter,
    groups: readonly AddressGroup[],
    acceptGzip: boolean,
    answers?: RemoteAnswers,
  ): boolean {
    const { fetch } = this.#dependencies;
    const mayConcatenate = acceptGzip && !answers && countSpans(groups) <= MAX_CONCATENATED;
    const fragments = mayConcatenate ? fetch.fragments : undefined;
    let areKnown = false;
    const written = this.#write(writer, fragments, answer => {
      areKnown = fetch.findKnown(groups, answer, answers);
      return areKnown;
    });
    if (written || !areKnown) return written;
    return this.#write(writer, undefined, answer => {
      fetch.writeFound(groups, answer);
      return true;
    });
  }

  /** Writes the result of `ServerFetch.fetch` as JSON. */
  writePairs(writer: ByteWriter, pairs: readonly FetchedPair[]): boolean {
    const { now, freshness } = this.#dependencies;
    return writeFetched(writer, () => new RestAnswer(writer, now(), freshness).pairs(pairs));
  }

  /**
   * Writes the answer to a fetch: gzip if the cache `gzipFragments` is given, plain JSON if not. `fill` adds the
   * servers to the answer. Writes nothing and returns false in two cases: `fill` returns false, or the gzip cache does
   * not contain enough of the servers.
   */
  #write(
    writer: ByteWriter,
    gzipFragments: FragmentCache | undefined,
    fill: (answer: RestAnswer) => boolean,
  ): boolean {
    const { fetch, now, freshness } = this.#dependencies;
    return writeFetched(writer, () => {
      const answer = new RestAnswer(writer, now(), freshness, gzipFragments, fetch.plainFragments);
      return fill(answer) ? answer.end() : undefined;
    });
  }
}
