import type { ByteWriter } from '../../proto/codec/byte-writer.ts';
import type { AddressGroup } from '../../proto/generated/codec/fetch.ts';
import { writeFetched } from '../../proto/streams/fetch-replies.ts';
import { RestAnswer } from '../render/rest-answer.ts';
import { countSpans, type FetchedPair } from '../servers/fetch-request.ts';
import type { FreshnessRules } from '../servers/freshness.ts';
import type { ServerFetch } from '../servers/server-fetch.ts';
import type { FragmentCache } from '../servers/server-store.ts';

/**
 * Servers in an answer that is concatenated from gzip fragments. Larger answers are compressed in one pass: 100 servers
 * concatenated are 35 KB instead of 13 (docs/performance.md).
 */
const MAX_CONCATENATED = 128;

/** What answers are written from. */
export interface FetchAnswersDependencies {
  fetch: ServerFetch;
  freshness: FreshnessRules;
  now: () => number;
}

/** Writes the REST bodies of fetches: the three ways to answer, from the cheapest to the dearest. */
export class FetchAnswers {
  readonly #dependencies: FetchAnswersDependencies;

  constructor(dependencies: FetchAnswersDependencies) {
    this.#dependencies = dependencies;
  }

  /** Concatenates gzip fragments of known servers. False if a fragment or a server is missing; roll back then. */
  writeGzip(writer: ByteWriter, groups: readonly AddressGroup[]): boolean {
    if (countSpans(groups) > MAX_CONCATENATED) return false;
    return this.#write(writer, groups, this.#dependencies.fetch.fragments);
  }

  /** Writes known servers as JSON. False if a server has to be inserted; roll back then. */
  writeJson(writer: ByteWriter, groups: readonly AddressGroup[]): boolean {
    return this.#write(writer, groups, undefined);
  }

  /** Writes the result of `ServerFetch.fetch` as JSON. */
  writePairs(writer: ByteWriter, pairs: readonly FetchedPair[]): boolean {
    const { now, freshness } = this.#dependencies;
    return writeFetched(writer, () => new RestAnswer(writer, now(), freshness).pairs(pairs));
  }

  #write(writer: ByteWriter, groups: readonly AddressGroup[], fragments: FragmentCache | undefined): boolean {
    const { fetch, now, freshness } = this.#dependencies;
    return writeFetched(writer, () => {
      const answer = new RestAnswer(writer, now(), freshness, fragments, fetch.plainFragments);
      return fetch.writeKnown(groups, answer) ? answer.end() : undefined;
    });
  }
}
