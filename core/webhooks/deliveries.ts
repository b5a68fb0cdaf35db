import { randomBytes } from 'node:crypto';
import type { Operation, StorageEngine } from '../store/storage-engine.ts';
import { compareStored } from './compare-stored.ts';
import { DELIVERIES, type DeliveryEvent, deliveryEntry, deliveryKey, storedDelivery } from './delivery.ts';
import { DeliveryQueue, type QueueItem } from './delivery-queue.ts';
import type { Webhook } from './webhook.ts';

/** An event to queue. The payloads are JSON text. */
export interface NewDelivery {
  event: DeliveryEvent;
  server: string;
  at: number;
  before: string;
  after: string;
  /** Earliest time of the first attempt, Unix ms. */
  notBefore: number;
}

/**
 * The queues of deliveries of all webhooks, in memory and in the storage engine. A delivery counts as queued when it is
 * durable.
 */
export class Deliveries {
  readonly #engine: StorageEngine;
  readonly #now: () => number;
  /**
   * The queues that are not empty, keyed by webhook id. The queue from which a delivery was leased last is at the end.
   */
  readonly #queues = new Map<string, DeliveryQueue>();
  readonly #waiters = new Set<() => void>();
  #sequence = 0;
  /** Number of queued deliveries that were replaced by a newer one. */
  replaced = 0;

  private constructor(engine: StorageEngine, now: () => number) {
    this.#engine = engine;
    this.#now = now;
  }

  /**
   * Loads the queues of all webhooks from the storage engine. Deletes damaged deliveries, and those of unknown
   * webhooks. `find` returns the webhook with an id.
   */
  static async load(
    engine: StorageEngine,
    now: () => number,
    find: (hookId: string) => Webhook | undefined,
  ): Promise<Deliveries> {
    const deliveries = new Deliveries(engine, now);
    await engine.readAll(DELIVERIES, (key, value) => {
      const delivery = storedDelivery(key, value);
      const webhook = delivery && find(delivery.hookId);
      if (!delivery || webhook?.disabledAt !== 0) {
        engine.append({ type: 'del', key });
        return;
      }
      deliveries.#sequence = Math.max(deliveries.#sequence, delivery.sequence);
      deliveries.#queueOf(webhook).addDelivery(delivery).item.isStored = true;
    });
    return deliveries;
  }

  /** Number of queued deliveries of all webhooks. */
  get size(): number {
    let size = 0;
    for (const queue of this.#queues.values()) size += queue.size;
    return size;
  }

  countOf(hookId: string): number {
    return this.#queues.get(hookId)?.size ?? 0;
  }

  /**
   * Queues an event. `operations` are written in the same batch as the event. Resolves to the id of the delivery when
   * the delivery is durable. Rejects with NoWrites, and queues nothing, if the storage engine refuses the write.
   */
  async addDelivery(
    webhook: Webhook,
    { notBefore, ...event }: NewDelivery,
    operations: readonly Operation[] = [],
  ): Promise<string> {
    if (this.#engine.refusal) throw this.#engine.refusal;
    const id = `msg_${randomBytes(12).toString('hex')}`;
    const sequence = ++this.#sequence;
    const delivery = { id, hookId: webhook.id, sequence, ...event, attempts: 0, nextAt: notBefore };
    const queue = this.#queueOf(webhook);
    const { item, replaced } = queue.addDelivery(delivery);
    this.replaced += replaced.length;
    try {
      const deletions = replaced.map((each): Operation => ({ type: 'del', key: deliveryKey(each.delivery) }));
      await this.#engine.commit([deliveryEntry(delivery), ...deletions, ...operations]);
    } catch (error) {
      this.#remove(queue, item);
      throw error;
    }
    item.isStored = true;
    this.wake();
    return id;
  }

  /** Calls `visit` with one due delivery after the other until `visit` returns false. The webhooks take turns. */
  visitDue(visit: (item: QueueItem) => boolean): void {
    for (const [hookId, queue] of [...this.#queues]) {
      let item = queue.findDue(this.#now());
      if (!item) continue;
      this.#queues.delete(hookId);
      this.#queues.set(hookId, queue);
      for (; item && !item.isLeased; item = queue.findDue(this.#now())) {
        if (!visit(item)) return;
        if (!item.isLeased) break;
      }
    }
  }

  /** True if at least one delivery can be leased now. */
  get isAnyDue(): boolean {
    for (const queue of this.#queues.values()) if (queue.findDue(this.#now())) return true;
    return false;
  }

  /** Removes a delivery from its queue, because it was sent or given up. */
  end(item: QueueItem): void {
    const { hookId } = item.delivery;
    const queue = this.#queues.get(hookId);
    if (queue) this.#remove(queue, item);
    this.#engine.append({ type: 'del', key: deliveryKey(item.delivery) });
  }

  /** Queues a failed delivery for another attempt at `nextAt` (Unix ms). */
  retry(item: QueueItem, nextAt: number): void {
    item.isLeased = false;
    item.delivery.attempts++;
    item.delivery.nextAt = nextAt;
    // Does not store the delivery if its webhook was disabled or deleted meanwhile, because the queue of the webhook is
    // then gone.
    if (this.#queues.get(item.delivery.hookId)?.items().includes(item))
      this.#engine.append(deliveryEntry(item.delivery));
  }

  /** Removes the queue of a webhook from memory. Returns the operations that delete its stored deliveries. */
  removeAll(hookId: string): Operation[] {
    const items = this.#queues.get(hookId)?.items() ?? [];
    this.#queues.delete(hookId);
    return items.map(({ delivery }): Operation => ({ type: 'del', key: deliveryKey(delivery) }));
  }

  /** Resolves when `wake` is called, when `ms` milliseconds have passed, or when `signal` is aborted. */
  wait(ms: number, signal: AbortSignal): Promise<void> {
    return new Promise(resolve => {
      const end = (): void => {
        clearTimeout(timer);
        signal.removeEventListener('abort', end);
        this.#waiters.delete(end);
        resolve();
      };
      const timer = setTimeout(end, ms);
      signal.addEventListener('abort', end);
      this.#waiters.add(end);
      if (signal.aborted) end();
    });
  }

  /** Makes all open calls of `wait` resolve. */
  wake(): void {
    for (const end of [...this.#waiters]) end();
  }

  /** After a failed write, returns the operations that make the stored deliveries equal to those in memory. */
  compare(): Promise<Operation[]> {
    const entries = new Map<string, Buffer>();
    for (const queue of this.#queues.values()) {
      for (const { delivery, isStored } of queue.items()) {
        if (!isStored) continue;
        const { key, value } = deliveryEntry(delivery);
        entries.set(key, value);
      }
    }
    return compareStored(this.#engine, DELIVERIES, entries);
  }

  #queueOf({ id, oneMessage }: Webhook): DeliveryQueue {
    let queue = this.#queues.get(id);
    if (!queue) {
      queue = new DeliveryQueue(oneMessage);
      this.#queues.set(id, queue);
    }
    return queue;
  }

  #remove(queue: DeliveryQueue, item: QueueItem): void {
    queue.removeItem(item);
    const { hookId } = item.delivery;
    if (queue.size === 0 && this.#queues.get(hookId) === queue) this.#queues.delete(hookId);
  }
}
