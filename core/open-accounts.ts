import type { Logger } from '../runtime/log.ts';
import type { HookFeed } from './cluster/hook-feed.ts';
import type { CoreConfig } from './core-settings.ts';
import type { ChangeFeed } from './feed/change-feed.ts';
import { type Access, bootstrapToken } from './open-access.ts';
import { loadWebhooks } from './open-webhooks.ts';
import type { WebhookEngine } from './webhooks/webhook-engine.ts';

/** Dependencies of `openAccounts` (creates the bootstrap token and loads the webhooks). */
export interface OpenAccountsDependencies extends Pick<Access, 'tokenService'> {
  hooks: WebhookEngine;
  feed: ChangeFeed;
  /** Source of the changes of all cores' servers, for webhooks; undefined if this core is not in a cluster. */
  hookFeed: HookFeed | undefined;
  config: CoreConfig;
  log: Logger;
}

/**
 * Creates the token of the setting GSQ_BOOTSTRAP_TOKEN, and loads the webhooks. In a cluster, only the lead (the core
 * that writes the tokens and webhooks) calls this function, after `Accounts.lead`. Rejects with the same errors as
 * `loadWebhooks`.
 */
export async function openAccounts(dependencies: OpenAccountsDependencies): Promise<void> {
  const { tokenService, hooks, feed, hookFeed, config, log } = dependencies;
  await bootstrapToken(tokenService, config, log);
  await loadWebhooks(hooks, feed, hookFeed);
}
