import { randomBytes } from 'node:crypto';
import type { Operation, Put } from '../store/storage-engine.ts';
import { DELIVERIES, type DeliveryEvent, deliveryEntry, deliveryKey, storedDelivery } from './delivery.ts';
import { DeliveryQueue, type QueueItem } from './delivery-queue.ts';
import type { Webhook } from './webhook.ts';
import type { StoredData, WebhookStore } from './webhook-store.ts';

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

/** The queues of all webhooks, in memory and in the storage engine. A delivery is queued when it is durable. */
export class Deliveries implements StoredData {
  readonly prefix = DELIVERIES;
  readonly #store: WebhookStore;
  readonly #now: () => number;
  /** Queues that are not empty, keyed by webhook id. The one that was leased from last is at the end. */
  readonly #queues = new Map<string, DeliveryQueue>();
  readonly #waiters = new Set<() => void>();
  #sequence = 0;
  /** Number of queued deliveries that a newer one replaced. */
  replaced = 0;

  private constructor(store: WebhookStore, now: () => number) {
    this.#store = store;
    this.#now = now;
  }

  /** Loads all queues. `find` returns the webhook with an id. Deletes damaged entries and those of unknown webhooks. */
  static async load(
    store: WebhookStore,
    now: () => number,
    find: (hookId: string) => Webhook | undefined,
  ): Promise<Deliveries> {
    const deliveries = new Deliveries(store, now);
    await store.readAll(DELIVERIES, (key, value) => {
      const delivery = storedDelivery(key, value);
      const webhook = delivery && find(delivery.hookId);
      if (!delivery || webhook?.disabledAt !== 0) {
        store.append({ type: 'del', key });
        return;
      }
      deliveries.#sequence = Math.max(deliveries.#sequence, delivery.sequence);
      deliveries.#queueOf(webhook).addStored(delivery);
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
   * Queues an event. `operations` are written in the same batch. Resolves to the id of the delivery when it is durable.
   * Rejects with NoWrites if the storage engine refuses the write; then nothing is queued.
   */
  async addDelivery(
    webhook: Webhook,
    event: NewDelivery,
    operations: readonly Operation[] = [],
  ): Promise<string> {
    const added = this.#enqueue(webhook, event);
    await this.#commit([added], operations);
    return added.item.delivery.id;
  }

  /** Queues all events of a webhook or none, like `addDelivery`. */
  async addDeliveries(
    webhook: Webhook,
    events: readonly NewDelivery[],
    operations: readonly Operation[],
  ): Promise<void> {
    await this.#commit(
      events.map(event => this.#enqueue(webhook, event)),
      operations,
    );
  }

  /** Calls `visit` with the due deliveries, in turn of their webhooks, until `visit` returns false. */
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

  /** True if a delivery can be leased now. */
  get isAnyDue(): boolean {
    for (const queue of this.#queues.values()) if (queue.findDue(this.#now())) return true;
    return false;
  }

  /** Removes a delivery that was sent or given up. */
  end(item: QueueItem): void {
    const { hookId } = item.delivery;
    const queue = this.#queues.get(hookId);
    if (queue) this.#remove(queue, item);
    this.#store.append({ type: 'del', key: deliveryKey(item.delivery) });
  }

  /** Queues a failed delivery for another attempt at `nextAt` (Unix ms). */
  retry(item: QueueItem, nextAt: number): void {
    item.isLeased = false;
    item.delivery.attempts++;
    item.delivery.nextAt = nextAt;
    // The webhook was perhaps disabled or deleted meanwhile. Then its entries are gone.
    if (this.#queues.get(item.delivery.hookId)?.items().includes(item))
      this.#store.append(deliveryEntry(item.delivery));
  }

  /** Leases no delivery of a webhook before `until` (Unix ms), except tests. */
  pause(hookId: string, until: number): void {
    this.#queues.get(hookId)?.pause(until);
  }

  /** Forgets the queue of a webhook. Returns the operations that delete its entries. */
  removeAll(hookId: string): Operation[] {
    const items = this.#queues.get(hookId)?.items() ?? [];
    this.#queues.delete(hookId);
    return items.map(({ delivery }): Operation => ({ type: 'del', key: deliveryKey(delivery) }));
  }

  /** Resolves when `wake` is called, after `ms`, or when `signal` is aborted. */
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

  /** Ends all calls of `wait`. */
  wake(): void {
    for (const end of [...this.#waiters]) end();
  }

  *entries(): Iterable<Put> {
    // Includes the deliveries that are being written. If their write fails, a later write fails too.
    for (const queue of this.#queues.values())
      for (const { delivery } of queue.items()) yield deliveryEntry(delivery);
  }

  #enqueue(webhook: Webhook, { notBefore, ...event }: NewDelivery): Added {
    if (this.#store.refusal) throw this.#store.refusal;
    const id = `msg_${randomBytes(12).toString('hex')}`;
    const sequence = ++this.#sequence;
    const queue = this.#queueOf(webhook);
    const delivery = { id, hookId: webhook.id, sequence, ...event, attempts: 0, nextAt: notBefore };
    return { queue, ...queue.addDelivery(delivery) };
  }

  async #commit(added: readonly Added[], operations: readonly Operation[]): Promise<void> {
    const replaced = added.flatMap(each => each.replaced);
    try {
      await this.#store.commit([
        ...added.map(({ item }) => deliveryEntry(item.delivery)),
        ...replaced.map(({ delivery }): Operation => ({ type: 'del', key: deliveryKey(delivery) })),
        ...operations,
      ]);
    } catch (error) {
      for (const { queue, item, replaced } of added) {
        queue.putBack(replaced);
        this.#remove(queue, item);
      }
      throw error;
    }
    for (const { item } of added) item.isStored = true;
    this.replaced += replaced.length;
    this.wake();
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

/** A delivery that is queued in memory, and those that it replaces. */
interface Added {
  queue: DeliveryQueue;
  item: QueueItem;
  replaced: readonly QueueItem[];
}
