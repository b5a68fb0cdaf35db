import type { DeliveryEvent, QueuedDelivery } from './delivery.ts';
import type { Webhook } from './webhook.ts';

/** Maximum number of queued deliveries of one webhook. */
const MAX_QUEUED = 100;
/** Maximum number of deliveries of one webhook that notifiers lease at the same time. */
const MAX_LEASED = 4;

/** A delivery in the queue of its webhook. */
export interface QueueItem {
  delivery: QueuedDelivery;
  /** True if the delivery is durable in the store. Notifiers can lease only durable deliveries. */
  isStored: boolean;
  isLeased: boolean;
}

/**
 * The queued deliveries of one webhook, the oldest first. For each server and kind of event, the queue contains only
 * the newest event, besides leased deliveries. A delivery of a server is leased only after the older deliveries of this
 * server have ended.
 */
export class DeliveryQueue {
  readonly tokenId: string;
  #items: QueueItem[] = [];
  #payloadLength = 0;
  /**
   * True if the webhook edits one Discord message for each server. A new delivery then replaces all queued deliveries
   * of the same server.
   */
  readonly #isOnePerServer: boolean;
  /**
   * Time (Unix ms) before which the receiver of the webhook wants no requests. This time is not stored: after a restart
   * of the core, the next answer of the receiver sets it again.
   */
  #pausedUntil = 0;

  constructor({ tokenId, oneMessage }: Pick<Webhook, 'tokenId' | 'oneMessage'>) {
    this.tokenId = tokenId;
    this.#isOnePerServer = oneMessage;
  }

  get size(): number {
    return this.#items.length;
  }

  /** Number of characters of the payloads of all deliveries in the queue. */
  get payloadLength(): number {
    return this.#payloadLength;
  }

  items(): readonly QueueItem[] {
    return this.#items;
  }

  /**
   * Adds a delivery to the queue. Removes all older deliveries of the same server and event. If the queue is still
   * full, also removes its oldest delivery. Never removes leased deliveries. Returns the new queue item and the removed
   * items (`replaced`).
   */
  addDelivery(delivery: QueuedDelivery): { item: QueueItem; replaced: QueueItem[] } {
    const isReplaced = ({ delivery: other, isLeased }: QueueItem): boolean =>
      !isLeased && other.server === delivery.server && this.#isSameKind(other.event, delivery.event);
    const replaced = this.#items.filter(isReplaced);
    for (const item of replaced) this.removeItem(item);
    for (const { delivery: earlier } of replaced) {
      // The new delivery takes over the planned time of the replaced delivery. So the wait after a failed attempt is
      // kept, and frequent changes cannot delay a delivery for ever.
      delivery.nextAt = earlier.nextAt;
      delivery.attempts = earlier.attempts;
      if (earlier.attempts === 0) continue;
      for (const { delivery: later } of this.#items)
        if (later.server === earlier.server) later.nextAt = Math.max(later.nextAt, earlier.nextAt);
    }
    if (this.#items.length >= MAX_QUEUED) {
      const oldest = this.findOldest();
      if (oldest) {
        this.removeItem(oldest);
        replaced.push(oldest);
      }
    }
    const item = { delivery, isStored: false, isLeased: false };
    this.#setItems([...this.#items, item]);
    return { item, replaced };
  }

  /**
   * Adds a delivery that was read from the store. Unlike `addDelivery`, keeps an older delivery of the same server and
   * event. The store contains both if the older one was leased when the newer one was added.
   */
  addStored(delivery: QueuedDelivery): void {
    this.#setItems([...this.#items, { delivery, isStored: true, isLeased: false }]);
  }

  /** Puts a removed delivery back into the queue, because the store failed to write the delivery that replaced it. */
  putBack(item: QueueItem): void {
    // If the removed delivery was never stored, its own write has failed too. The caller that added this delivery
    // handles the error, so the delivery is not put back.
    if (!item.isStored) return;
    this.#setItems([...this.#items, item].sort((a, b) => a.delivery.sequence - b.delivery.sequence));
  }

  removeItem(item: QueueItem): void {
    this.#setItems(this.#items.filter(each => each !== item));
  }

  /** Returns the oldest delivery that is not leased. Returns undefined if there is no such delivery. */
  findOldest(): QueueItem | undefined {
    return this.#items.find(({ isLeased }) => !isLeased);
  }

  /**
   * Pauses this queue until `until` (Unix ms), as the receiver has asked. Until then, only test deliveries can be
   * leased.
   */
  pause(until: number): void {
    this.#pausedUntil = Math.max(this.#pausedUntil, until);
  }

  /**
   * Called when the clock was set back by `stepMs`. Sets the planned times of all deliveries in this queue back by the
   * same number of milliseconds.
   */
  moveBack(stepMs: number): void {
    this.#pausedUntil -= stepMs;
    for (const { delivery } of this.#items) delivery.nextAt -= stepMs;
  }

  /** Returns the first delivery that can be leased at `now` (Unix ms). Undefined if there is none. */
  findDue(now: number): QueueItem | undefined {
    if (this.#items.length === 0) return undefined;
    const busy = new Set<string>();
    let leased = 0;
    for (const item of this.#items) {
      if (item.isLeased && ++leased >= MAX_LEASED) return undefined;
      if (item.isLeased) busy.add(item.delivery.server);
    }
    for (const item of this.#items) {
      const { server, event, nextAt } = item.delivery;
      const isPaused = now < this.#pausedUntil && event !== 'test';
      if (!busy.has(server) && item.isStored && nextAt <= now && !isPaused) return item;
      busy.add(server);
    }
    return undefined;
  }

  #setItems(items: QueueItem[]): void {
    this.#items = items;
    this.#payloadLength = items.reduce(
      (sum, { delivery: { before, after } }) => sum + before.length + after.length,
      0,
    );
  }

  #isSameKind(one: DeliveryEvent, other: DeliveryEvent): boolean {
    return one === other || (this.#isOnePerServer && one !== 'test' && other !== 'test');
  }
}
