import type { Logger } from '../runtime/log.ts';
import { operatorEmail } from '../runtime/operator-email.ts';
import { isPageOn, shownServers, showsPlayers } from '../runtime/public-page.ts';
import { AddressBurst } from './access/address-burst.ts';
import { Authenticator } from './access/authenticator.ts';
import { TokenService } from './access/token-service.ts';
import type { CoreConfig } from './core-settings.ts';
import type { OpenedStore } from './open-store.ts';
import type { StrangerAccess } from './rpc/readers.ts';
import { NoWrites } from './store/no-writes.ts';

/** The two services for access control. Operators use the token service; the authenticator checks callers. */
export interface Access {
  tokenService: TokenService;
  authenticator: Authenticator;
  /**
   * The rules for callers without credentials: what they may read, and how often. All ports share one rate limit.
   * Undefined if these callers may read nothing (GSQ_PAGE=off).
   */
  strangers: StrangerAccess | undefined;
}

/** Maximum number of requests without credentials from one address in one second. */
const STRANGER_LIMIT = 20;

/** Creates the token service and the authenticator from the stored tokens. */
export function openAccess(
  { tokens, quota, lastUse }: OpenedStore,
  config: CoreConfig,
  now: () => number,
): Access {
  const tokenService = new TokenService(tokens, now);
  const authenticator = new Authenticator(
    tokens,
    quota,
    lastUse,
    config.GSQ_BURST_LIMIT,
    now,
    config.GSQ_BURST_LIMIT_PER_ADDRESS,
  );
  const strangers = isPageOn(config)
    ? {
        burst: new AddressBurst(STRANGER_LIMIT),
        scope: shownServers(config),
        seesPlayers: showsPlayers(config),
      }
    : undefined;
  return { tokenService, authenticator, strangers };
}

/**
 * Creates the token of the setting GSQ_BOOTSTRAP_TOKEN if it does not exist yet. In a cluster, only the lead (the core
 * that writes tokens) calls this function. If the store refuses the write, logs an error and does not reject.
 */
export async function bootstrapToken(
  tokenService: TokenService,
  config: CoreConfig,
  log: Logger,
): Promise<void> {
  try {
    await createBootstrapToken(tokenService, config, log);
  } catch (error) {
    if (!(error instanceof NoWrites)) throw error;
    log.error(
      { err: error },
      'the token of GSQ_BOOTSTRAP_TOKEN was not created; free disk space and restart the core',
    );
  }
}

async function createBootstrapToken(
  tokenService: TokenService,
  config: CoreConfig,
  log: Logger,
): Promise<void> {
  if (config.GSQ_BOOTSTRAP_TOKEN === undefined) return;
  const token = await tokenService.bootstrap(config.GSQ_BOOTSTRAP_TOKEN, {
    tier: config.GSQ_BOOTSTRAP_TYPE,
    email: config.GSQ_BOOTSTRAP_EMAIL ?? operatorEmail(),
    expiresAt: 0,
    allowIps: [],
    allowDomains: [],
  });
  if (!token) return;
  const object = { token_id: token.id, tier: token.tier };
  log.info({ audit: true, act: 'CreateToken', actor: 'GSQ_BOOTSTRAP_TOKEN', object, outcome: 'OK' }, 'audit');
}
