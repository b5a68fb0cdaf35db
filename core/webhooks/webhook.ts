import { randomBytes } from 'node:crypto';

/** Events of a server that a webhook can report. The names are those of the REST API (`/v1/webhooks`). */
export const hookEvents = ['online', 'offline', 'full', 'empty', 'map', 'players_over'] as const;
export type HookEvent = (typeof hookEvents)[number];

/** Forms of the request bodies that gsq sends to the receivers of webhooks. */
export const hookForms = ['json', 'discord'] as const;
export type HookForm = (typeof hookForms)[number];

/**
 * A condition that a webhook checks for a server. When it becomes true, gsq sends a delivery to the webhook's receiver.
 */
export interface HookCondition {
  readonly event: HookEvent;
  /**
   * Number for the event `players_over`: the condition is true if the server has more players than this number. 0 for
   * all other events.
   */
  readonly players: number;
  /** Time for which the condition must stay true before the webhook gets a delivery, ms. */
  readonly forMs: number;
}

/** A registered webhook, without its URL and its secret. Immutable. */
export interface Webhook {
  readonly id: string;
  /** Id of the token that owns the webhook. */
  readonly tokenId: string;
  /** `serverKey` of each server that the webhook follows. Empty if the webhook follows a game. */
  readonly servers: readonly string[];
  /** Id of the game whose servers the webhook follows. Empty if the webhook follows single servers. */
  readonly game: string;
  readonly conditions: readonly HookCondition[];
  readonly cooldownMs: number;
  readonly form: HookForm;
  /** True if gsq keeps one Discord message for each server and edits it. */
  readonly oneMessage: boolean;
  /** Time at which the webhook was registered, Unix ms. */
  readonly createdAt: number;
  /**
   * Time at which the current series of failed deliveries began, Unix ms; 0 if there is no such series. A series ends
   * when a delivery succeeds, when an attempt fails without a fault of the receiver, or when LONGEST_GAP_MS pass
   * without an attempt.
   */
  readonly failingSince: number;
  /** Time when gsq disabled the webhook, Unix ms; 0 if the webhook is enabled. */
  readonly disabledAt: number;
  /** Reason why the webhook is disabled, for people; empty if the webhook is enabled. */
  readonly disabledReason: string;
}

/** The confidential part of a webhook, which is stored encrypted. */
export interface HookSecrets {
  readonly url: string;
  /** Secret that signs the deliveries, as `whsec_` and base64. Empty for the form `discord`. */
  readonly secret: string;
}

/** Pattern that every webhook id matches. */
export const HOOK_ID = /^hook_[0-9a-f]{16}$/;

export function newHookId(): string {
  return `hook_${randomBytes(8).toString('hex')}`;
}

/** Creates the secret of a webhook in the form of Standard Webhooks: 32 random bytes. */
export function newHookSecret(): string {
  return `whsec_${randomBytes(32).toString('base64')}`;
}
