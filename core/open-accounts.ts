import type { Logger } from '../runtime/log.ts';
import type { HookFeed } from './cluster/hook-feed.ts';
import type { CoreConfig } from './core-settings.ts';
import type { ChangeFeed } from './feed/change-feed.ts';
import { type Access, bootstrapToken } from './open-access.ts';
import { loadWebhooks } from './open-webhooks.ts';
import type { WebhookEngine } from './webhooks/webhook-engine.ts';

/** What `openAccounts` needs. */
export interface OpenAccountsDependencies extends Pick<Access, 'tokenService'> {
  hooks: WebhookEngine;
  feed: ChangeFeed;
  /** The changes of all cores of a cluster; undefined if this core has all servers. */
  hookFeed: HookFeed | undefined;
  config: CoreConfig;
  log: Logger;
}

/**
 * Creates the token of GSQ_BOOTSTRAP_TOKEN and opens the webhooks. In a cluster, only the lead calls this function,
 * after `Accounts.lead`. Rejects like `loadWebhooks`.
 */
export async function openAccounts(dependencies: OpenAccountsDependencies): Promise<void> {
  const { tokenService, hooks, feed, hookFeed, config, log } = dependencies;
  await bootstrapToken(tokenService, config, log);
  await loadWebhooks(hooks, feed, hookFeed);
}
