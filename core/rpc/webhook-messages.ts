import type { DeliveryAttempt } from '../../proto/generated/gsq/v1/DeliveryAttempt.ts';
import type { ServerGroup } from '../../proto/generated/gsq/v1/ServerGroup.ts';
import type { Webhook as WebhookMessage } from '../../proto/generated/gsq/v1/Webhook.ts';
import { isoTime } from '../render/iso-time.ts';
import { timestamp } from '../render/server-results.ts';
import { splitKey } from '../servers/server-record.ts';
import type { Attempt } from '../webhooks/delivery.ts';
import { formatDuration } from '../webhooks/duration.ts';
import type { HookCondition, Webhook } from '../webhooks/webhook.ts';

/** A registered webhook together with its masked URL and the length of its queue. */
export interface ShownWebhook {
  webhook: Webhook;
  /** URL of the webhook, with the path and the query hidden. */
  url: string;
  /** Number of queued deliveries of the webhook. */
  queued: number;
}

/** Returns a webhook as a protobuf message. */
export function webhookMessage({ webhook, url, queued }: ShownWebhook): WebhookMessage {
  return {
    id: webhook.id,
    tokenId: webhook.tokenId,
    url,
    servers: groupsOf(webhook.servers),
    game: webhook.game,
    events: webhook.conditions.map(({ event, players, forMs }) => ({ event, players, for: spanOf(forMs) })),
    cooldown: formatDuration(webhook.cooldownMs),
    form: webhook.form,
    oneMessage: webhook.oneMessage,
    createdAt: timestamp(webhook.createdAt),
    disabledAt: timestamp(webhook.disabledAt),
    disabledReason: webhook.disabledReason,
    queued,
  };
}

/** Returns a webhook as the object of a REST answer. */
export function webhookObject({ webhook, url, queued }: ShownWebhook): object {
  return {
    id: webhook.id,
    token_id: webhook.tokenId,
    url,
    servers: groupsOf(webhook.servers).map(({ gameId, servers }) => ({ game_id: gameId, servers })),
    game: webhook.game,
    events: webhook.conditions.map(eventObject),
    cooldown: formatDuration(webhook.cooldownMs),
    form: webhook.form,
    one_message: webhook.oneMessage,
    created_at: isoTime(webhook.createdAt),
    disabled_at: isoTime(webhook.disabledAt),
    disabled_reason: webhook.disabledReason,
    queued,
  };
}

/** Converts an attempt to send a webhook delivery into the protobuf message `DeliveryAttempt`. */
export function attemptMessage(attempt: Attempt): DeliveryAttempt {
  const [gameId, server] = splitKey(attempt.server);
  const { deliveryId, event, httpStatus, error, durationMs } = attempt;
  return {
    deliveryId,
    event,
    gameId,
    server,
    at: timestamp(attempt.at),
    httpStatus,
    error,
    durationMs,
    nextAttemptAt: timestamp(attempt.nextAt),
  };
}

/** Converts an attempt to send a webhook delivery into an object for a REST answer. */
export function attemptObject(attempt: Attempt): object {
  const [gameId, server] = splitKey(attempt.server);
  return {
    delivery_id: attempt.deliveryId,
    event: attempt.event,
    game_id: gameId,
    server,
    at: isoTime(attempt.at),
    http_status: attempt.httpStatus,
    error: attempt.error,
    duration_ms: attempt.durationMs,
    next_attempt_at: isoTime(attempt.nextAt),
  };
}

function eventObject({ event, players, forMs }: HookCondition): object {
  return {
    event,
    ...(event === 'players_over' && { players }),
    ...(forMs > 0 && { for: formatDuration(forMs) }),
  };
}

function spanOf(ms: number): string {
  return ms === 0 ? '' : formatDuration(ms);
}

function groupsOf(keys: readonly string[]): (ServerGroup & { gameId: string; servers: string[] })[] {
  const groups = new Map<string, string[]>();
  for (const key of keys) {
    const [gameId, address] = splitKey(key);
    const servers = groups.get(gameId) ?? [];
    servers.push(address);
    groups.set(gameId, servers);
  }
  return [...groups].map(([gameId, servers]) => ({ gameId, servers }));
}
