import { addChecksum, checkedContent } from '../store/checksummed.ts';
import type { Operation, Put } from '../store/storage-engine.ts';
import type { Attempt } from './delivery.ts';
import type { StoredData, WebhookStore } from './webhook-store.ts';

/** Prefix of the store keys of attempts. The id of the webhook, a slash and a position from 00 to 49 follow. */
const ATTEMPTS = 'l/';
const MAX_ATTEMPTS = 50;

/** An attempt and its number: 0 is the first attempt of a webhook. */
interface NumberedAttempt {
  number: number;
  attempt: Attempt;
}

/** The last 50 attempts of each webhook. The entries of a webhook in the store are a ring. */
export class DeliveryLog implements StoredData {
  readonly prefix = ATTEMPTS;
  readonly #store: Pick<WebhookStore, 'append'>;
  /** The attempts of each webhook, the oldest first. */
  readonly #attempts = new Map<string, NumberedAttempt[]>();

  private constructor(store: Pick<WebhookStore, 'append'>) {
    this.#store = store;
  }

  /** Loads the attempts of the webhooks for which `isKnown` is true. Deletes damaged entries and those of other webhooks. */
  static async load(
    store: Pick<WebhookStore, 'append' | 'readAll'>,
    isKnown: (hookId: string) => boolean,
  ): Promise<DeliveryLog> {
    const log = new DeliveryLog(store);
    await store.readAll(ATTEMPTS, (key, value) => {
      const [hookId = ''] = key.slice(ATTEMPTS.length).split('/');
      const content = checkedContent(key, value);
      if (content && isKnown(hookId)) log.#of(hookId).push(JSON.parse(content.toString()) as NumberedAttempt);
      else store.append({ type: 'del', key });
    });
    for (const each of log.#attempts.values()) each.sort((a, b) => a.number - b.number);
    return log;
  }

  /** Adds an attempt, and stores it soon. Forgets the oldest one if there are 50. */
  addAttempt(hookId: string, attempt: Attempt): void {
    const attempts = this.#of(hookId);
    const numbered = { number: (attempts.at(-1)?.number ?? -1) + 1, attempt };
    attempts.push(numbered);
    if (attempts.length > MAX_ATTEMPTS) attempts.shift();
    this.#store.append(entryOf(hookId, numbered));
  }

  /** Returns the time of the last attempt of a webhook, Unix ms; 0 if there was none. */
  lastAt(hookId: string): number {
    // Entries about dropped events have no delivery.
    const last = this.#attempts.get(hookId)?.findLast(({ attempt }) => attempt.deliveryId !== '');
    return last?.attempt.at ?? 0;
  }

  /** Returns the last attempts of a webhook, the newest first. */
  list(hookId: string): Attempt[] {
    return (this.#attempts.get(hookId) ?? []).map(({ attempt }) => attempt).reverse();
  }

  *entries(): Iterable<Put> {
    for (const [hookId, attempts] of this.#attempts)
      for (const numbered of attempts) yield entryOf(hookId, numbered);
  }

  /** Forgets the attempts of a webhook. Returns the operations that delete their entries. */
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
