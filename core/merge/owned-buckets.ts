import { SERVER_BUCKETS } from '../cluster/buckets.ts';
import type { Ownership } from '../cluster/ownership.ts';
import { partAway } from './ask-peer.ts';

/** Size of a set of server buckets in bytes: one bit for each bucket, the lowest bit of each byte first. */
const SET_BYTES = SERVER_BUCKETS / 8;
const ALL_BITS = 0xff;

/** The server buckets that this core owns and has loaded. */
export class OwnedBuckets {
  readonly #ownership: Pick<Ownership, 'owns' | 'isValid' | 'watch'>;
  #set: Buffer | undefined;

  constructor(ownership: Pick<Ownership, 'owns' | 'isValid' | 'watch'>) {
    this.#ownership = ownership;
    ownership.watch(() => {
      this.#set = undefined;
    });
  }

  /**
   * Runs a search of the servers of this core. Also returns the set of buckets that this core owned before and after the
   * search. The result contains all servers of these buckets, and can contain servers of a bucket that this core gives
   * away. Rejects with ServiceError CORE_1 if this core has no valid lease, because other cores can then own its servers.
   */
  async during<Result>(search: () => Promise<Result>): Promise<{ result: Result; buckets: Buffer }> {
    const before = this.#current();
    const result = await search();
    const after = this.#current();
    return { result, buckets: before === after ? after : inBoth(before, after) };
  }

  #current(): Buffer {
    if (!this.#ownership.isValid) throw partAway();
    this.#set ??= this.#read();
    return this.#set;
  }

  #read(): Buffer {
    const set = Buffer.alloc(SET_BYTES);
    for (let bucket = 0; bucket < SERVER_BUCKETS; bucket++)
      if (this.#ownership.owns(bucket)) set[bucket >> 3] = (set[bucket >> 3] as number) | (1 << (bucket & 7));
    return set;
  }
}

function inBoth(one: Buffer, other: Buffer): Buffer {
  return one.map((byte, i) => byte & (other[i] as number)) as Buffer;
}

/**
 * True if each server bucket is in exactly one of the sets. So the results of these cores together contain every server.
 * Also true if a core sent no set, because its version is older.
 */
export function areComplete(sets: readonly Buffer[]): boolean {
  if (sets.some(({ length }) => length !== SET_BYTES)) return true;
  for (let i = 0; i < SET_BYTES; i++) {
    let found = 0;
    for (const set of sets) {
      const byte = set[i] as number;
      if ((found & byte) !== 0) return false;
      found |= byte;
    }
    if (found !== ALL_BITS) return false;
  }
  return true;
}
