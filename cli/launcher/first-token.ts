import { gsqV1 } from '../../proto/descriptors.ts';
import type { Config } from '../../runtime/config.ts';
import type { settings } from '../../runtime/settings.ts';
import { withCore } from '../service/core-call.ts';

/** A token that was just created, with its secret. */
export interface FirstToken {
  secret: string;
  tier: string;
  email: string;
}

/**
 * Creates the first token of a service; undefined if it has one already. Only the launcher calls this, after
 * everything is ready, so that somebody sees the secret. Rejects with CommandError.
 */
export function makeFirstToken(config: Config<typeof settings>): Promise<FirstToken | undefined> {
  const { ListTokens, CreateToken } = gsqV1.AdminService.service;
  return withCore(config, 'GSQ_INTERNAL_ADDR', async call => {
    const { tokens } = await call(ListTokens, {});
    if (tokens.length > 0) return undefined;
    const wish = { tier: config.GSQ_BOOTSTRAP_TYPE, email: config.GSQ_BOOTSTRAP_EMAIL };
    const { secret } = await call(CreateToken, wish);
    return { secret, ...wish };
  });
}
