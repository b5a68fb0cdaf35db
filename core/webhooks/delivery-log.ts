import { addChecksum, checkedContent } from '../store/checksummed.ts';
import type { Operation, StorageEngine } from '../store/storage-engine.ts';
import type { Attempt } from './delivery.ts';

/**
 * Prefix of the store keys of delivery attempts. The id of the webhook, a slash and a position from 00 to 49 follow.
 */
const ATTEMPTS = 'l/';
const MAX_ATTEMPTS = 50;

/** The last 50 delivery attempts of each webhook. The stored entries of a webhook form a ring buffer. */
export class DeliveryLog {
  readonly #engine: Pick<StorageEngine, 'append'>;
  /** The delivery attempts of each webhook with their positions in its ring buffer, the oldest first. */
  readonly #attempts = new Map<string, { position: number; attempt: Attempt }[]>();

  private constructor(engine: Pick<StorageEngine, 'append'>) {
    this.#engine = engine;
  }

  /**
   * Loads the delivery attempts of the webhooks for which `isKnown` is true. Deletes damaged attempts, and those of
   * other webhooks.
   */
  static async load(
    engine: Pick<StorageEngine, 'append' | 'readAll'>,
    isKnown: (hookId: string) => boolean,
  ): Promise<DeliveryLog> {
    const log = new DeliveryLog(engine);
    await engine.readAll(ATTEMPTS, (key, value) => {
      const [hookId = '', position = ''] = key.slice(ATTEMPTS.length).split('/');
      const content = checkedContent(key, value);
      if (content && isKnown(hookId)) {
        const attempt = JSON.parse(content.toString()) as Attempt;
        log.#of(hookId).push({ position: Number(position), attempt });
      } else engine.append({ type: 'del', key });
    });
    for (const each of log.#attempts.values()) each.sort((a, b) => a.attempt.at - b.attempt.at);
    return log;
  }

  /**
   * Adds a delivery attempt to the log, and stores it soon. If the log has 50 attempts, the new one replaces the oldest
   * one.
   */
  addAttempt(hookId: string, attempt: Attempt): void {
    const attempts = this.#of(hookId);
    const position = ((attempts.at(-1)?.position ?? -1) + 1) % MAX_ATTEMPTS;
    attempts.push({ position, attempt });
    if (attempts.length > MAX_ATTEMPTS) attempts.shift();
    const key = keyOf(hookId, position);
    this.#engine.append({ type: 'put', key, value: addChecksum(key, Buffer.from(JSON.stringify(attempt))) });
  }

  /** Returns the last delivery attempts of a webhook, the newest first. */
  list(hookId: string): Attempt[] {
    return (this.#attempts.get(hookId) ?? []).map(({ attempt }) => attempt).reverse();
  }

  /** Removes the delivery attempts of a webhook from memory. Returns the operations that delete the stored ones. */
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
