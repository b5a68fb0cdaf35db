import { gsqV1 } from '../../proto/descriptors.ts';
import type { Config } from '../../runtime/config.ts';
import type { settings } from '../../runtime/settings.ts';
import { withCore } from '../core-call.ts';

/** A token whose secret can be shown, because it was made just now. */
export interface FirstToken {
  secret: string;
  tier: string;
  email: string;
}

/**
 * Makes the first token of a service that has none; undefined where it has one. Only the launcher does this, once all
 * is ready, so that a token is never made without anybody seeing it. Rejects with CommandError.
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
