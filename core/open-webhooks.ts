import type { Logger } from '../runtime/log.ts';
import { isLive } from './access/token.ts';
import type { Catalog } from './catalog/catalog.ts';
import type { HookFeed } from './cluster/hook-feed.ts';
import type { ChangeFeed } from './feed/change-feed.ts';
import type { OpenedStore } from './open-store.ts';
import { payloadText } from './render/payload-text.ts';
import { type FreshnessRules, shownStatus } from './servers/freshness.ts';
import { WebhookEngine } from './webhooks/webhook-engine.ts';

/**
 * Creates the webhook engine. It has no webhooks until `loadWebhooks` is called. `hookFeed`: source of the server
 * changes from all cores; undefined if this core is not in a cluster.
 */
export function createWebhooks(
  { engine, key, tokens, store, corrupt }: OpenedStore,
  catalog: Catalog,
  freshness: FreshnessRules,
  log: Logger,
  now: () => number,
  hookFeed: HookFeed | undefined,
): WebhookEngine {
  return new WebhookEngine({
    engine,
    key,
    now,
    liveToken(id) {
      const token = tokens.get(id);
      return token && isLive(token, now()) ? token : undefined;
    },
    recordOf: serverKey => (hookFeed ? hookFeed.recordOf(serverKey) : store.getMany([serverKey])[0]),
    statusOf: record => shownStatus(record, now(), freshness),
    payloadOf: record => payloadText(record, now(), freshness),
    gameName: gameId => catalog.current().find(gameId)?.name ?? gameId,
    ...(hookFeed && { onCreated: () => hookFeed.follow() }),
    onCorrupt: corrupt.countEntry,
    onDisabled: ({ id, tokenId }, reason) =>
      log.warn({ webhook_id: id, token_id: tokenId, reason }, 'a webhook is disabled'),
  });
}

/**
 * Loads the webhooks, subscribes them to the changes of servers, and begins to queue deliveries. In a cluster, only the
 * lead (the core that writes webhooks) calls this function. `hookFeed`: source of the server changes from all cores;
 * undefined without a cluster. Rejects with ConfigError if the credentials key cannot decrypt the stored webhooks.
 */
export async function loadWebhooks(
  hooks: WebhookEngine,
  feed: ChangeFeed,
  hookFeed: HookFeed | undefined,
): Promise<void> {
  await hooks.load();
  if (hookFeed) hookFeed.start(hooks);
  else feed.subscribe(hooks.note);
  hooks.start();
}
