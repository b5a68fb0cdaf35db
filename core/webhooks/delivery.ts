import { addChecksum, checkedContent } from '../store/checksummed.ts';
import type { Put } from '../store/storage-engine.ts';
import type { HookEvent } from './webhook.ts';

/**
 * Prefix of the store keys of queued deliveries. After the prefix, a key contains the id of the webhook, a slash and
 * the sequence number of the delivery.
 */
export const DELIVERIES = 'd/';

/**
 * The event for which a delivery is sent. `update`: the Discord message about a server is out of date. `test`: the
 * owner of the webhook tests it.
 */
export type DeliveryEvent = HookEvent | 'update' | 'test';

/** A delivery in the queue of a webhook: a request that a notifier must send to the receiver of the webhook. */
export interface QueuedDelivery {
  /** Id of the delivery: the value of the header `webhook-id`, the same in all attempts. */
  readonly id: string;
  readonly hookId: string;
  /** Sequence number of the delivery. Each new delivery of a core gets a higher number than the previous delivery. */
  readonly sequence: number;
  readonly event: DeliveryEvent;
  /** `serverKey` of the server; empty for the test request that `gsq webhooks test` sends. */
  readonly server: string;
  /** Time of the event for which the delivery is sent, Unix ms. */
  readonly at: number;
  /** Payload of the server before the event, without `raw`, as JSON text; `null` if there is none. */
  readonly before: string;
  /** Payload of the server at the event, as JSON text; `null` if there is none. */
  readonly after: string;
  /** Number of attempts to send this delivery so far. */
  attempts: number;
  /** Time of the next attempt to send this delivery, Unix ms. */
  nextAt: number;
}

/** One attempt to send a delivery, for the log of its webhook. */
export interface Attempt {
  readonly deliveryId: string;
  readonly event: DeliveryEvent;
  readonly server: string;
  /** Time when this attempt to send the delivery ended, Unix ms. */
  readonly at: number;
  /** HTTP status of the receiver's answer; 0 if there was no answer. */
  readonly httpStatus: number;
  /** Reason why the attempt failed, for people; empty if the attempt succeeded. */
  readonly error: string;
  readonly durationMs: number;
  /** Time of the next attempt to send the delivery, Unix ms; 0 if there will be none. */
  readonly nextAt: number;
}

/**
 * Returns the store key of a delivery. The keys of all deliveries of one webhook sort by the sequence numbers of the
 * deliveries.
 */
export function deliveryKey({ hookId, sequence }: Pick<QueuedDelivery, 'hookId' | 'sequence'>): string {
  return `${DELIVERIES}${hookId}/${String(sequence).padStart(16, '0')}`;
}

/**
 * Returns the write operation that stores a queued delivery. The stored value has three lines: the delivery as JSON,
 * and the payloads of the server before and after the event.
 */
export function deliveryEntry({ before, after, ...rest }: QueuedDelivery): Put {
  const key = deliveryKey(rest);
  // Each payload gets a line of its own to save CPU time: a payload of 20 KB takes 35 µs. As a string inside the JSON
  // of the delivery, the payload would take 100 µs, because all its quotes would have to be escaped.
  const content = `${JSON.stringify(rest)}\n${before}\n${after}`;
  return { type: 'put', key, value: addChecksum(key, Buffer.from(content)) };
}

/** Reads a stored delivery. Returns undefined if the entry is damaged. */
export function storedDelivery(key: string, value: Buffer): QueuedDelivery | undefined {
  const content = checkedContent(key, value);
  if (!content) return undefined;
  // Splits the content at line feeds. This is safe, because JSON escapes the line feeds in strings.
  const [rest = '', before = '', after = ''] = content.toString().split('\n');
  return { ...(JSON.parse(rest) as Omit<QueuedDelivery, 'before' | 'after'>), before, after };
}
