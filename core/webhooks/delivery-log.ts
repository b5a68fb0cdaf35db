import { addChecksum, checkedContent } from '../store/checksummed.ts';
import type { Operation, Put } from '../store/storage-engine.ts';
import type { Attempt } from './delivery.ts';
import type { StoredData, WebhookStore } from './webhook-store.ts';

/** Prefix of the store keys of attempts. The id of the webhook, a slash and a position from 00 to 49 follow. */
const ATTEMPTS = 'l/';
const MAX_ATTEMPTS = 50;

/** The last 50 attempts of each webhook. The entries of a webhook in the store are a ring. */
export class DeliveryLog implements StoredData {
  readonly prefix = ATTEMPTS;
  readonly #store: Pick<WebhookStore, 'append'>;
  /** The attempts of each webhook and their positions in its ring, the oldest first. */
  readonly #attempts = new Map<string, { position: number; attempt: Attempt }[]>();

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
      const [hookId = '', position = ''] = key.slice(ATTEMPTS.length).split('/');
      const content = checkedContent(key, value);
      if (content && isKnown(hookId)) {
        const attempt = JSON.parse(content.toString()) as Attempt;
        log.#of(hookId).push({ position: Number(position), attempt });
      } else store.append({ type: 'del', key });
    });
    for (const each of log.#attempts.values()) each.sort((a, b) => a.attempt.at - b.attempt.at);
    return log;
  }

  /** Adds an attempt, and stores it soon. Forgets the oldest one if there are 50. */
  addAttempt(hookId: string, attempt: Attempt): void {
    const attempts = this.#of(hookId);
    const position = ((attempts.at(-1)?.position ?? -1) + 1) % MAX_ATTEMPTS;
    attempts.push({ position, attempt });
    if (attempts.length > MAX_ATTEMPTS) attempts.shift();
    this.#store.append(entryOf(hookId, position, attempt));
  }

  /** Returns the last attempts of a webhook, the newest first. */
  list(hookId: string): Attempt[] {
    return (this.#attempts.get(hookId) ?? []).map(({ attempt }) => attempt).reverse();
  }

  *entries(): Iterable<Put> {
    for (const [hookId, attempts] of this.#attempts)
      for (const { position, attempt } of attempts) yield entryOf(hookId, position, attempt);
  }

  /** Forgets the attempts of a webhook. Returns the operations that delete their entries. */
  removeAll(hookId: string): Operation[] {
    const operations = this.#of(hookId).map(
      ({ position }): Operation => ({ type: 'del', key: keyOf(hookId, position) }),
    );
    this.#attempts.delete(hookId);
    return operations;
  }

  #of(hookId: string): { position: number; attempt: Attempt }[] {
    const attempts = this.#attempts.get(hookId) ?? [];
    this.#attempts.set(hookId, attempts);
    return attempts;
  }
}

function keyOf(hookId: string, position: number): string {
  return `${ATTEMPTS}${hookId}/${String(position).padStart(2, '0')}`;
}

function entryOf(hookId: string, position: number, attempt: Attempt): Put {
  const key = keyOf(hookId, position);
  return { type: 'put', key, value: addChecksum(key, Buffer.from(JSON.stringify(attempt))) };
}
