import { crc32 } from 'node:zlib';
import { GzipMember } from '../http/gzip-member.ts';
import { compress } from '../http/send.ts';
import { type Fragment, FragmentCache } from './fragment-cache.ts';

const CACHE_BYTES = 64 * 1024 * 1024;
// Joined, 100 servers take 100 µs instead of 242, and 35 KB instead of 13 (docs/performance.md).
const MAX_FRAGMENTS = 128;

/**
 * Compresses answers of fetches. The part of a payload that stays the same until the server's next probe is compressed
 * once and joined with what lies between such parts, where that is worth what it adds to the answer.
 */
export class AnswerGzip {
  readonly #cache: FragmentCache;

  constructor(cacheBytes = CACHE_BYTES) {
    this.#cache = new FragmentCache(cacheBytes);
  }

  /**
   * One gzip member that unfolds to `body`. `cuts`: where in it each such part starts and ends, ascending and disjoint;
   * `marks`: a number for each, nearly always another one for another part. They only say what is worth keeping.
   */
  gzip(body: Buffer, cuts: readonly number[], marks: readonly number[]): Buffer | Promise<Buffer> {
    const joinable = cuts.length > 0 && cuts.length <= MAX_FRAGMENTS * 2;
    return (joinable ? this.#joined(body, cuts, marks) : undefined) ?? compress(body);
  }

  #joined(body: Buffer, cuts: readonly number[], marks: readonly number[]): Buffer | undefined {
    const fragments: Fragment[] = [];
    let bytes = body.length;
    let at = 0;
    for (let i = 0; i < cuts.length; i += 2) {
      const start = cuts[i] ?? 0;
      const end = cuts[i + 1] ?? 0;
      if (start < at || end < start || end > body.length) return undefined;
      at = end;
      // All are looked for even where one is missing, for the next time.
      const fragment = this.#cache.find(body, start, end, marks[i / 2] ?? 0);
      if (!fragment) continue;
      fragments.push(fragment);
      bytes += fragment.end - fragment.start - (end - start);
    }
    if (fragments.length < cuts.length / 2) return undefined;

    const member = new GzipMember(cuts.length + 1, bytes);
    at = 0;
    for (let i = 0; i < fragments.length; i++) {
      const fragment = fragments[i];
      if (!fragment) return undefined;
      member.addStored(body, at, cuts[2 * i] ?? 0);
      member.addFragment(fragment.chunk, fragment.start, fragment.end);
      at = cuts[2 * i + 1] ?? 0;
    }
    member.addStored(body, at, body.length);
    return member.end(crc32(body), body.length);
  }
}
