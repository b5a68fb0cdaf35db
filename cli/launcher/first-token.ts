import { gsqV1 } from '../../proto/descriptors.ts';
import type { Config } from '../../runtime/config.ts';
import type { settings } from '../../runtime/settings.ts';
import { withCore } from '../service/core-call.ts';

/** A new token with its secret. */
export interface FirstToken {
  secret: string;
  tier: string;
  email: string;
}

/**
 * Creates the first token of a service. Resolves to undefined if the service already has a token. The launcher calls
 * this function when all processes are ready, and shows the secret of the token on the screen. Rejects with
 * CommandError if the core cannot create the token.
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
