import { randomBytes } from 'node:crypto';
import type { Staleness } from './freshness.ts';
import type { ServerView } from './payload.ts';

// Another one with every start: tags of another history or release never fit.
const SEED = randomBytes(8);
const SEED_LOW = SEED.readInt32LE(0);
const SEED_HIGH = SEED.readInt32LE(4);

/**
 * Tells answers apart by what they are made of: addresses, the times of each server's record, which no two records of
 * a server share, and how old it is told to be. 64 bits; 0.1 µs a server, where a hash over its JSON takes 0.4.
 */
export class AnswerTag {
  #low = SEED_LOW;
  #high = SEED_HIGH;

  bytes(text: Uint8Array, start: number, end: number): void {
    let low = this.#low;
    for (let i = start; i < end; i++) low = Math.imul(low ^ (text[i] as number), 0x01000193);
    this.#low = low;
    this.#mix(end - start);
  }

  text(text: string): void {
    let low = this.#low;
    for (let i = 0; i < text.length; i++) low = Math.imul(low ^ text.charCodeAt(i), 0x01000193);
    this.#low = low;
    this.#mix(text.length);
  }

  server(server: ServerView, stale: Staleness | undefined): void {
    this.#number(server.nextProbeAt);
    this.#number(server.lastProbeAt);
    this.#number(server.lastOnlineAt);
    this.#mix(server.dataEnd - server.dataStart);
    this.#mix(stale ? stale.ageSeconds : -1);
  }

  end(): Uint8Array {
    this.#mix(0);
    this.#mix(0);
    const tag = Buffer.allocUnsafe(8);
    tag.writeInt32LE(this.#low, 0);
    tag.writeInt32LE(this.#high, 4);
    return tag;
  }

  /** A time in milliseconds, which has more than 32 bits. */
  #number(value: number): void {
    this.#mix(value | 0);
    this.#mix((value / 2 ** 32) | 0);
  }

  /** Two multiplications that feed each other, so that each bit of what goes in reaches both halves. */
  #mix(value: number): void {
    const low = Math.imul(this.#low ^ value, 0x85ebca6b);
    const high = Math.imul(this.#high ^ (low >>> 13), 0xc2b2ae35);
    this.#low = low ^ (high >>> 16);
    this.#high = high ^ (low << 7);
  }
}
