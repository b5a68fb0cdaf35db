import { randomBytes } from 'node:crypto';
import type { Operation, Put } from '../store/storage-engine.ts';
import { DELIVERIES, type DeliveryEvent, deliveryEntry, deliveryKey, storedDelivery } from './delivery.ts';
import { DeliveryQueue, type QueueItem } from './delivery-queue.ts';
import type { Webhook } from './webhook.ts';
import type { StoredData, WebhookStore } from './webhook-store.ts';

/**
 * Maximum total length of the payloads that are queued for all webhooks of one token, in characters. This is enough
 * for about 400 events of servers with 255 players.
 */
const MAX_PAYLOAD_LENGTH = 8 * 1024 * 1024;

/** A delivery that is not queued yet: an event of a server, with the payloads as JSON text. */
export interface NewDelivery {
  event: DeliveryEvent;
  server: string;
  at: number;
  before: string;
  after: string;
  /** Earliest time of the first attempt to send the delivery, Unix ms. */
  notBefore: number;
}

/**
 * The queues of deliveries of all webhooks, in memory and in the storage engine. A delivery counts as queued when it is
 * durable.
 */
export class Deliveries implements StoredData {
  readonly prefix = DELIVERIES;
  readonly #store: WebhookStore;
  readonly #now: () => number;
  /**
   * The queues of deliveries, keyed by webhook id. When a notifier takes a delivery from a queue, this queue moves to
   * the end of the map, so that all webhooks get their turn.
   */
  readonly #queues = new Map<string, DeliveryQueue>();
  readonly #ofToken = new Map<string, Set<DeliveryQueue>>();
  readonly #waiters = new Set<() => void>();
  #sequence = 0;
  /**
   * Number of queued deliveries that were dropped: a newer delivery replaced them, or the space for deliveries was
   * full.
   */
  replaced = 0;

  constructor(store: WebhookStore, now: () => number) {
    this.#store = store;
    this.#now = now;
  }

  /**
   * Loads the queues of all webhooks from the storage engine. Deletes damaged deliveries and deliveries of unknown
   * webhooks. `find` returns the webhook with an id.
   */
  async load(find: (hookId: string) => Webhook | undefined): Promise<void> {
    await this.#store.readAll(DELIVERIES, (key, value) => {
      const delivery = storedDelivery(key, value);
      const webhook = delivery && find(delivery.hookId);
      if (!delivery || webhook?.disabledAt !== 0) {
        this.#store.append({ type: 'del', key });
        return;
      }
      this.#sequence = Math.max(this.#sequence, delivery.sequence);
      // If the time of the event is in the future, the clock was set back after the event. The planned time of the
      // delivery is then wrong too, so the delivery becomes due now.
      if (delivery.at > this.#now()) delivery.nextAt = this.#now();
      this.#queueOf(webhook).addStored(delivery);
    });
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
   * Queues an event of a server as a delivery of a webhook, and writes `operations` in the same batch. Resolves to the
   * id of the delivery when it is durable. Rejects with NoWrites if the engine refuses the write.
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

  /** Does the same as `addDelivery`, but for several events of one webhook. Queues all of these events or none. */
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

  /**
   * Calls `visit` with the due deliveries of all webhooks, one after the other, until `visit` returns false. The
   * webhooks take turns: a webhook whose delivery was visited comes last in the next call.
   */
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

  /** True if a delivery of any webhook is due now, so that a notifier can take it and send it. */
  get isAnyDue(): boolean {
    for (const queue of this.#queues.values()) if (queue.findDue(this.#now())) return true;
    return false;
  }

  /** Removes a delivery from its queue after it was sent or given up. */
  end(item: QueueItem): void {
    const { hookId } = item.delivery;
    this.#queues.get(hookId)?.removeItem(item);
    this.#store.append({ type: 'del', key: deliveryKey(item.delivery) });
  }

  /** Queues a failed delivery for another attempt at `nextAt` (Unix ms). */
  retry(item: QueueItem, nextAt: number): void {
    item.isLeased = false;
    item.delivery.attempts++;
    item.delivery.nextAt = nextAt;
    // Stores the failed delivery only if its queue still exists. The queue is gone if the webhook was disabled or
    // deleted while the delivery was being sent.
    if (this.#queues.get(item.delivery.hookId)?.items().includes(item))
      this.#store.append(deliveryEntry(item.delivery));
  }

  /** Pauses a webhook: until the time `until` (Unix ms), notifiers get only its test deliveries. */
  pause(hookId: string, until: number): void {
    this.#queues.get(hookId)?.pause(until);
  }

  /**
   * Makes the planned times of all deliveries earlier by `stepMs`. Call this method when the clock was set back by
   * `stepMs`. Otherwise all deliveries would be late.
   */
  moveBack(stepMs: number): void {
    for (const queue of this.#queues.values()) {
      queue.moveBack(stepMs);
      for (const { delivery, isStored } of queue.items())
        if (isStored) this.#store.append(deliveryEntry(delivery));
    }
  }

  /** Removes the queue of a webhook from memory. Returns the operations that delete its stored deliveries. */
  removeAll(hookId: string): Operation[] {
    const queue = this.#queues.get(hookId);
    if (!queue) return [];
    this.#queues.delete(hookId);
    const ofToken = this.#ofToken.get(queue.tokenId);
    if (ofToken?.delete(queue) && ofToken.size === 0) this.#ofToken.delete(queue.tokenId);
    return queue.items().map(({ delivery }): Operation => ({ type: 'del', key: deliveryKey(delivery) }));
  }

  /**
   * Lets a notifier wait for deliveries. Resolves when `wake` is called, when `ms` milliseconds have passed, or when
   * `signal` is aborted.
   */
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

  /** Ends all waits for due deliveries: all open calls of `wait` resolve. */
  wake(): void {
    for (const end of [...this.#waiters]) end();
  }

  *entries(): Iterable<Put> {
    // Also yields new deliveries that the storage engine is still writing. This is safe: if the engine cannot write
    // such a delivery, it also refuses to write the entry that is yielded here. So the failed delivery is never stored.
    for (const queue of this.#queues.values())
      for (const { delivery } of queue.items()) yield deliveryEntry(delivery);
  }

  #enqueue(webhook: Webhook, { notBefore, ...event }: NewDelivery): Added {
    if (this.#store.refusal) throw this.#store.refusal;
    const id = `msg_${randomBytes(12).toString('hex')}`;
    const sequence = ++this.#sequence;
    const delivery = { id, hookId: webhook.id, sequence, ...event, attempts: 0, nextAt: notBefore };
    const queue = this.#queueOf(webhook);
    const { item, replaced } = queue.addDelivery(delivery);
    const dropped = this.#makeRoom(webhook.tokenId, item);
    return { queue, item, replaced: [...replaced.map(each => ({ queue, item: each })), ...dropped] };
  }

  /**
   * Drops the oldest queued deliveries of a token until the remaining payloads have at most MAX_PAYLOAD_LENGTH
   * characters in total. Never drops `newest`.
   */
  #makeRoom(tokenId: string, newest: QueueItem): QueuePosition[] {
    const queues = this.#ofToken.get(tokenId) ?? new Set();
    const dropped: QueuePosition[] = [];
    while (lengthOf(queues) > MAX_PAYLOAD_LENGTH) {
      const oldest = oldestOf(queues);
      if (!oldest || oldest.item === newest) break;
      oldest.queue.removeItem(oldest.item);
      dropped.push(oldest);
    }
    return dropped;
  }

  async #commit(added: readonly Added[], operations: readonly Operation[]): Promise<void> {
    const replaced = added.flatMap(each => each.replaced);
    try {
      await this.#store.commit([
        ...added.map(({ item }) => deliveryEntry(item.delivery)),
        ...replaced.map(({ item }): Operation => ({ type: 'del', key: deliveryKey(item.delivery) })),
        ...operations,
      ]);
    } catch (error) {
      for (const { queue, item } of replaced) queue.putBack(item);
      for (const { queue, item } of added) queue.removeItem(item);
      throw error;
    }
    for (const { item } of added) item.isStored = true;
    this.replaced += replaced.length;
    this.wake();
  }

  #queueOf(webhook: Webhook): DeliveryQueue {
    let queue = this.#queues.get(webhook.id);
    if (!queue) {
      queue = new DeliveryQueue(webhook);
      this.#queues.set(webhook.id, queue);
      const ofToken = this.#ofToken.get(webhook.tokenId) ?? new Set();
      this.#ofToken.set(webhook.tokenId, ofToken.add(queue));
    }
    return queue;
  }
}

/** A delivery, and the queue in which it waits. */
interface QueuePosition {
  queue: DeliveryQueue;
  item: QueueItem;
}

/**
 * A delivery that was added to its queue in memory. `replaced`: the deliveries that were removed from the queue,
 * because the new delivery replaces them or needs their space.
 */
interface Added extends QueuePosition {
  replaced: readonly QueuePosition[];
}

function lengthOf(queues: Iterable<DeliveryQueue>): number {
  let length = 0;
  for (const { payloadLength } of queues) length += payloadLength;
  return length;
}

/** Returns the oldest delivery that no notifier is sending now. Returns undefined if there is no such delivery. */
function oldestOf(queues: Iterable<DeliveryQueue>): QueuePosition | undefined {
  let oldest: QueuePosition | undefined;
  for (const queue of queues) {
    const item = queue.findOldest();
    if (item && (!oldest || item.delivery.sequence < oldest.item.delivery.sequence)) oldest = { queue, item };
  }
  return oldest;
}
