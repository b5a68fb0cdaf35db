import { randomBytes } from 'node:crypto';
import type { ByteWriter } from '../../proto/codec/byte-writer.ts';
import { fnv1aBytes } from '../../runtime/fnv1a.ts';
import type { Staleness } from '../servers/freshness.ts';
import { statuses } from '../servers/server-record.ts';
import type { ServerView } from '../servers/server-view.ts';

// Random seed of the entity tags. The core chooses a new seed at each start, so a tag from before a restart or an
// update never matches.
const SEED = randomBytes(8);
const SEED_LOW = SEED.readInt32LE(0);
const SEED_HIGH = SEED.readInt32LE(4);

/** A 64-bit hash of a sequence of numbers. */
class Mixed {
  low = SEED_LOW;
  high = SEED_HIGH;

  /**
   * Adds a number to the hash. Each half of the hash is multiplied and then mixed into the other half, so each bit of
   * the number influences both halves.
   */
  number(value: number): void {
    const low = Math.imul(this.low ^ value, 0x85ebca6b);
    const high = Math.imul(this.high ^ (low >>> 13), 0xc2b2ae35);
    this.low = low ^ (high >>> 16);
    this.high = high ^ (low << 7);
  }

  /**
   * Adds the status, the times and the data length of a server to the hash of the answer. If the answer must show a new
   * state of the server, at least one of these values is different. Time alone can change the status (`showAt`).
   */
  server(server: ServerView): void {
    this.number(statuses.indexOf(server.status));
    this.time(server.nextProbeAt);
    this.time(server.lastProbeAt);
    this.time(server.lastOnlineAt);
    this.number(server.dataEnd - server.dataStart);
  }

  /** Adds a time in ms to the hash. The time has more than 32 bits, so it is added as two numbers. */
  time(ms: number): void {
    this.number(ms | 0);
    this.number((ms / 2 ** 32) | 0);
  }
}

/**
 * Computes the entity tag of an answer. The tag depends on the addresses, the shown statuses, the times in the server
 * records, and the age of stale data. The rest of the content need not be hashed, because a new record always has new
 * times. The tag takes 0.1 µs per server; SHA-1 over the JSON would take 0.3 µs.
 */
export class AnswerTag {
  readonly #whole = new Mixed();
  readonly #server = new Mixed();

  /**
   * Includes a server in the entity tag of the answer. The address of the server is in `text`, from the offset `start`
   * to `end`. `stale`: how old the data in the answer is, if it is stale; undefined if not.
   */
  server(
    text: Uint8Array,
    start: number,
    end: number,
    server: ServerView,
    stale: Staleness | undefined,
  ): void {
    const mixed = this.#server;
    mixed.low = fnv1aBytes(text, start, end, SEED_LOW);
    mixed.high = SEED_HIGH;
    mixed.number(end - start);
    mixed.server(server);
    this.#whole.number(mixed.low);
    this.#whole.number(mixed.high);
    this.#whole.number(stale ? stale.ageSeconds : -1);
  }

  /**
   * Includes a server of another core in the entity tag of the answer. The other core has already computed a tag for
   * the state of the server (`writeServerTag`). This tag is in `tags`, at the offset `tagAt`. The address of the server
   * is in `text`, from the offset `start` to `end`.
   */
  rendered(text: Uint8Array, start: number, end: number, tags: Buffer, tagAt: number): void {
    this.#whole.number(fnv1aBytes(text, start, end, SEED_LOW));
    this.#whole.number(end - start);
    this.#whole.number(tags.readInt32LE(tagAt));
    this.#whole.number(tags.readInt32LE(tagAt + 4));
  }

  /**
   * Adds a text to the hash from which the entity tag is made. Used for text that is not about one server, such as
   * `_meta`.
   */
  text(text: string): void {
    for (let i = 0; i < text.length; i++) this.#whole.number(text.charCodeAt(i));
    this.#whole.number(-2);
  }

  /** Returns the entity tag of the answer, which is 8 bytes long. */
  end(): Uint8Array {
    this.#whole.number(0);
    this.#whole.number(0);
    const tag = Buffer.allocUnsafe(8);
    tag.writeInt32LE(this.#whole.low, 0);
    tag.writeInt32LE(this.#whole.high, 4);
    return tag;
  }
}

/**
 * Appends a tag of 8 bytes for the state of a server. Entity tags of answers are made from such tags. The tag does not
 * depend on the address of the server. `stale`: how old the data in the answer is, if it is stale; undefined if not.
 */
export function writeServerTag(out: ByteWriter, server: ServerView, stale: Staleness | undefined): void {
  const mixed = new Mixed();
  mixed.server(server);
  mixed.number(stale ? stale.ageSeconds : -1);
  mixed.number(0);
  const bytes = out.room(8);
  bytes.writeInt32LE(mixed.low, out.length);
  bytes.writeInt32LE(mixed.high, out.length + 4);
  out.length += 8;
}
