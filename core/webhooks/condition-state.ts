import { addChecksum, checkedContent } from '../store/checksummed.ts';
import type { Put } from '../store/storage-engine.ts';

/**
 * Prefix of the store keys for the states of webhook conditions. After the prefix, a key contains the webhook id, the
 * index of the condition and the `serverKey`.
 */
export const STATES = 'e/';

/**
 * State of one condition of a webhook, such as "the server is full", for one server. It exists while a delivery is
 * pending. After a delivery, it exists until the end of the cooldown (time without another delivery).
 */
export interface ConditionState {
  readonly hookId: string;
  /** Index of the condition in `Webhook.conditions`. */
  readonly index: number;
  readonly server: string;
  /** True if the condition became true, and its delivery is not queued yet. */
  readonly isArmed: boolean;
  /** Time since which the condition has been true without interruption, Unix ms. 0 if it is not true now. */
  readonly since: number;
  /** Time of the last delivery for this condition and server, Unix ms; 0 if there was none. */
  readonly firedAt: number;
  /**
   * The data of the server just before the condition became true, as JSON text without the field `raw`. gsq sends it in
   * the payload of the delivery. While `isArmed` is false, no delivery is pending, and this text is `null`.
   */
  readonly before: string;
}

/** Returns the key of a `ConditionState`. The same key is used in the store and in memory. */
export function stateKey(hookId: string, index: number, server: string): string {
  return `${STATES}${hookId}/${index}/${server}`;
}

/** Returns the write operation that stores a `ConditionState`. */
export function stateEntry({ hookId, index, server, isArmed, since, firedAt, before }: ConditionState): Put {
  const key = stateKey(hookId, index, server);
  const content = JSON.stringify({ hookId, index, server, isArmed, since, firedAt, before });
  return { type: 'put', key, value: addChecksum(key, Buffer.from(content)) };
}

/**
 * Parses a stored `ConditionState`: the state of one condition of a webhook for one server. Returns undefined if the
 * stored bytes are damaged.
 */
export function storedState(key: string, value: Buffer): ConditionState | undefined {
  const content = checkedContent(key, value);
  return content && (JSON.parse(content.toString()) as ConditionState);
}
