import { addChecksum, checkedContent } from '../store/checksummed.ts';
import type { Operation, Put } from '../store/storage-engine.ts';
import type { Attempt } from './delivery.ts';
import type { StoredData, WebhookStore } from './webhook-store.ts';

/**
 * Prefix of the store keys of delivery attempts. After the prefix, a key contains the id of the webhook, a slash and a
 * position from 00 to 49.
 */
const ATTEMPTS = 'l/';
const MAX_ATTEMPTS = 50;

/**
 * An attempt to send a delivery, with its number in the log of the webhook. The number counts all attempts for all
 * deliveries of the webhook, from 0.
 */
interface NumberedAttempt {
  number: number;
  attempt: Attempt;
}

/**
 * The last 50 attempts of each webhook. In the store, they are a ring buffer: a new entry overwrites the oldest one of
 * the webhook.
 */
export class DeliveryLog implements StoredData {
  readonly prefix = ATTEMPTS;
  readonly #store: Pick<WebhookStore, 'append' | 'readAll'>;
  /** The delivery attempts of each webhook, the oldest first. Keyed by webhook id. */
  readonly #attempts = new Map<string, NumberedAttempt[]>();

  constructor(store: Pick<WebhookStore, 'append' | 'readAll'>) {
    this.#store = store;
  }

  /**
   * Loads the delivery attempts of the webhooks for which `isKnown` is true. Deletes damaged attempts, and attempts of
   * unknown webhooks.
   */
  async load(isKnown: (hookId: string) => boolean): Promise<void> {
    await this.#store.readAll(ATTEMPTS, (key, value) => {
      const [hookId = ''] = key.slice(ATTEMPTS.length).split('/');
      const content = checkedContent(key, value);
      if (content && isKnown(hookId))
        this.#of(hookId).push(JSON.parse(content.toString()) as NumberedAttempt);
      else this.#store.append({ type: 'del', key });
    });
    for (const each of this.#attempts.values()) each.sort((a, b) => a.number - b.number);
  }

  /**
   * Adds a delivery attempt to the log, and stores it soon. If the log has 50 attempts, the new one replaces the oldest
   * one.
   */
  addAttempt(hookId: string, attempt: Attempt): void {
    const attempts = this.#of(hookId);
    const numbered = { number: (attempts.at(-1)?.number ?? -1) + 1, attempt };
    attempts.push(numbered);
    if (attempts.length > MAX_ATTEMPTS) attempts.shift();
    this.#store.append(entryOf(hookId, numbered));
  }

  /** Returns the time of the last attempt of a webhook, Unix ms; 0 if there was none. */
  lastAt(hookId: string): number {
    // Skips log entries without a delivery id. They describe dropped events, and not attempts to send a delivery.
    const last = this.#attempts.get(hookId)?.findLast(({ attempt }) => attempt.deliveryId !== '');
    return last?.attempt.at ?? 0;
  }

  /** Returns the last delivery attempts of a webhook, the newest first. */
  list(hookId: string): Attempt[] {
    return (this.#attempts.get(hookId) ?? []).map(({ attempt }) => attempt).reverse();
  }

  *entries(): Iterable<Put> {
    for (const [hookId, attempts] of this.#attempts)
      for (const numbered of attempts) yield entryOf(hookId, numbered);
  }

  /** Removes the delivery attempts of a webhook from memory. Returns the operations that delete the stored attempts. */
  removeAll(hookId: string): Operation[] {
    const operations = this.#of(hookId).map(
      ({ number }): Operation => ({ type: 'del', key: keyOf(hookId, number) }),
    );
    this.#attempts.delete(hookId);
    return operations;
  }

  #of(hookId: string): NumberedAttempt[] {
    const attempts = this.#attempts.get(hookId) ?? [];
    this.#attempts.set(hookId, attempts);
    return attempts;
  }
}

function keyOf(hookId: string, number: number): string {
  return `${ATTEMPTS}${hookId}/${String(number % MAX_ATTEMPTS).padStart(2, '0')}`;
}

function entryOf(hookId: string, numbered: NumberedAttempt): Put {
  const key = keyOf(hookId, numbered.number);
  return { type: 'put', key, value: addChecksum(key, Buffer.from(JSON.stringify(numbered))) };
}
