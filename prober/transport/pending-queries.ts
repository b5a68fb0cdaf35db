import { randomInt } from 'node:crypto';
import type { AddressKey } from '../../net/address-key.ts';
import type { Conversation } from './conversation.ts';

/** A power of two. Some thousands are under way at most. */
const PLACES = 1 << 13;

/**
 * The conversations under way, by the endpoint each asks. No Map: where thousands a second come and go, V8's leave a trail
 * of outgrown tables, and once one of these is of the old generation, each that follows keeps what it held from being
 * collected young. Without that they take a tenth of the prober's CPU instead of nearly a quarter.
 */
export class PendingQueries {
  /** Linked by `next`. */
  readonly #first: (Conversation | undefined)[] = new Array(PLACES).fill(undefined);
  /** Outsiders choose the addresses; nobody knows which share a place. */
  readonly #seed = randomInt(2 ** 32) | 0;

  find(key: AddressKey, port: number): Conversation | undefined {
    let conversation = this.#first[this.#placeOf(key)];
    while (conversation && (conversation.endpoint.port !== port || conversation.endpoint.key !== key))
      conversation = conversation.next;
    return conversation;
  }

  /** One whose endpoint is not being asked. */
  add(conversation: Conversation): void {
    const place = this.#placeOf(conversation.endpoint.key);
    conversation.next = this.#first[place];
    this.#first[place] = conversation;
  }

  /** One that was added. */
  remove(conversation: Conversation): void {
    const place = this.#placeOf(conversation.endpoint.key);
    let before = this.#first[place];
    if (before === conversation) this.#first[place] = conversation.next;
    else {
      while (before && before.next !== conversation) before = before.next;
      if (before) before.next = conversation.next;
    }
    conversation.next = undefined;
  }

  all(): Conversation[] {
    const all: Conversation[] = [];
    for (let conversation of this.#first)
      for (; conversation; conversation = conversation.next) all.push(conversation);
    return all;
  }

  #placeOf(key: AddressKey): number {
    let mixed = this.#seed;
    if (typeof key === 'number') mixed = Math.imul(mixed ^ key, 0x9e3779b1);
    else for (let i = 0; i < key.length; i++) mixed = Math.imul(mixed ^ key.charCodeAt(i), 0x9e3779b1);
    return (mixed ^ (mixed >>> 15)) & (PLACES - 1);
  }
}
