import type { DeliveryAttempt__Output as Attempt } from '../../proto/generated/gsq/v1/DeliveryAttempt.ts';
import type { Webhook__Output as Webhook } from '../../proto/generated/gsq/v1/Webhook.ts';
import type { WebhookEvent__Output as WebhookEvent } from '../../proto/generated/gsq/v1/WebhookEvent.ts';
import { type Arguments, UsageError } from './command.ts';
import type { Cell } from './text-table.ts';
import { isoTime } from './timestamp.ts';

/** Maximum number of servers that one cell of a table lists. */
const MOST_SERVERS = 3;

/**
 * Returns the webhook id, the only argument of some webhook commands. Throws UsageError if the id is missing or if
 * there are more arguments.
 */
export function oneWebhookId({ positionals: [id, ...more] }: Arguments): string {
  if (id === undefined || more.length > 0) throw new UsageError('the id of one webhook is needed');
  return id;
}

/** Returns a webhook in the JSON format that all commands use (docs/cli.md). */
export function webhookJson(webhook: Webhook) {
  return {
    id: webhook.id,
    token_id: webhook.tokenId,
    url: webhook.url,
    servers: webhook.servers.map(({ gameId: game_id, servers }) => ({ game_id, servers })),
    game: webhook.game || null,
    events: webhook.events.map(({ event, players, for: held }) => ({
      event,
      players: event === 'players_over' ? players : null,
      for: held || null,
    })),
    cooldown: webhook.cooldown,
    form: webhook.form,
    one_message: webhook.oneMessage,
    created_at: isoTime(webhook.createdAt),
    disabled_at: isoTime(webhook.disabledAt),
    disabled_reason: webhook.disabledReason || null,
    queued: webhook.queued,
  };
}

/** Returns an event of a webhook in the form of the option `--event`, such as `players_over=20:5m`. */
export function eventText({ event, players, for: held }: WebhookEvent): string {
  const limit = event === 'players_over' ? `=${players}` : '';
  return `${event}${limit}${held === '' || held === '0s' ? '' : `:${held}`}`;
}

/** Returns the text of a table cell that lists the servers or the game of a webhook. Lists at most `most` servers. */
export function followedText({ servers, game }: Webhook, most = MOST_SERVERS): string {
  if (game !== '') return `all of ${game}`;
  const all = servers.flatMap(({ gameId, servers: addresses }) => addresses.map(each => `${gameId}/${each}`));
  const rest = all.length > most ? ` and ${all.length - most} more` : '';
  return all.slice(0, most).join(', ') + rest;
}

/** Returns the text of a table cell that says whether gsq sends deliveries to a webhook. */
export function hookStateCell({ disabledAt }: Webhook): Cell {
  return disabledAt ? { text: 'disabled', style: 'bad' } : { text: 'enabled', style: 'good' };
}

/** Returns an attempt to send a delivery of a webhook, in the JSON format that all commands use (docs/cli.md). */
export function attemptJson(attempt: Attempt) {
  return {
    delivery_id: attempt.deliveryId,
    event: attempt.event,
    game_id: attempt.gameId || null,
    server: attempt.server || null,
    at: isoTime(attempt.at),
    delivered: attempt.error === '',
    http_status: attempt.httpStatus || null,
    error: attempt.error || null,
    duration_ms: attempt.durationMs,
    next_attempt_at: isoTime(attempt.nextAttemptAt),
  };
}

/** Returns the text of a table cell that says whether an attempt to send a delivery succeeded. */
export function attemptStateCell({ error, nextAttemptAt }: Attempt): Cell {
  if (error === '') return { text: 'delivered', style: 'good' };
  return nextAttemptAt ? { text: 'failed', style: 'doubtful' } : { text: 'given up', style: 'bad' };
}
