import { isoTime } from '../render/iso-time.ts';
import { splitKey } from '../servers/server-record.ts';
import type { QueuedDelivery } from './delivery.ts';
import { type DiscordView, discordMessage } from './discord-form.ts';
import { signatureHeaders } from './signature.ts';
import type { HookSecrets } from './webhook.ts';

/** The HTTP request of a delivery, which a notifier sends once. */
export interface DeliveryRequest {
  method: 'POST' | 'PATCH';
  url: string;
  headers: Record<string, string>;
  body: Buffer;
  /** True if the notifier's report must contain the body of the receiver's answer. */
  wantsBody: boolean;
}

/** Returns the request that delivers an event in the form `json`, signed as Standard Webhooks requires. */
export function jsonRequest(
  delivery: QueuedDelivery,
  { url, secret }: HookSecrets,
  now: number,
): DeliveryRequest {
  const [game_id, server] = splitKey(delivery.server);
  // The payloads are JSON texts with the data of the server before and after the event. They go into the body
  // unchanged. So the receiver gets the same bytes as in the answer to a fetch.
  const head = JSON.stringify({
    id: delivery.id,
    event: delivery.event,
    at: isoTime(delivery.at),
    game_id,
    server,
  });
  const body = Buffer.from(`${head.slice(0, -1)},"before":${delivery.before},"after":${delivery.after}}`);
  const headers = {
    'content-type': 'application/json; charset=utf-8',
    ...signatureHeaders(secret, delivery.id, Math.floor(now / 1000), body),
  };
  return { method: 'POST', url, headers, body, wantsBody: false };
}

/**
 * Returns the request that posts a new Discord message, or edits the message with the id `messageId`. `wantsId`: true
 * if Discord must return the id of a new message.
 */
export function discordRequest(
  view: DiscordView,
  { url }: HookSecrets,
  messageId: string | undefined,
  wantsId: boolean,
): DeliveryRequest {
  const target = new URL(url);
  if (messageId === undefined) target.searchParams.set('wait', 'true');
  else target.pathname = `${target.pathname.replace(/\/$/, '')}/messages/${messageId}`;
  return {
    method: messageId === undefined ? 'POST' : 'PATCH',
    url: target.href,
    headers: { 'content-type': 'application/json' },
    body: discordMessage(view),
    wantsBody: wantsId && messageId === undefined,
  };
}
