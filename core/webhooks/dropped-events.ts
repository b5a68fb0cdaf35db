import type { Attempt } from './delivery.ts';
import type { HookEvent } from './webhook.ts';

/** Shortest time between two log entries about dropped events of the same webhook, ms. */
const TELL_MS = 3_600_000;

/** Functions that `DroppedEvents` needs to report dropped webhook events. */
export interface DroppedEventsDependencies {
  /** Adds an entry to the log of a webhook. */
  addAttempt(hookId: string, attempt: Attempt): void;
  now: () => number;
}

/**
 * Counts webhook events that were dropped because the memory for webhook conditions was full. Adds an entry about
 * dropped events to the log of the webhook, where the owner of the webhook can see it.
 */
export class DroppedEvents {
  readonly #dependencies: DroppedEventsDependencies;
  /** For each webhook, the time of the last entry about dropped events in its log. Keyed by webhook id. */
  readonly #toldAt = new Map<string, number>();
  /** Number of dropped events of all webhooks. */
  count = 0;

  constructor(dependencies: DroppedEventsDependencies) {
    this.#dependencies = dependencies;
  }

  /**
   * Counts a dropped event of a webhook. Adds an entry about dropped events to the log of the webhook, at most once an
   * hour.
   */
  addEvent(hookId: string, event: HookEvent, server: string): void {
    this.count++;
    const at = this.#dependencies.now();
    const toldAt = this.#toldAt.get(hookId);
    if (toldAt !== undefined && at < toldAt + TELL_MS) return;
    this.#toldAt.set(hookId, at);
    this.#dependencies.addAttempt(hookId, {
      deliveryId: '',
      event,
      server,
      at,
      httpStatus: 0,
      error:
        'This event, and perhaps others of this hour, was dropped: too many events wait for the end of their "for" or ' +
        'of a cooldown. Follow fewer servers or events.',
      durationMs: 0,
      nextAt: 0,
    });
  }

  /**
   * Forgets when an entry about dropped events was last added to the log of a webhook. Called when the webhook is
   * deleted or disabled.
   */
  forget(hookId: string): void {
    this.#toldAt.delete(hookId);
  }
}
