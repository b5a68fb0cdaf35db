import type { TestContext } from 'node:test';
import { Authenticator } from '../../../core/access/authenticator.ts';
import { DayQuota } from '../../../core/access/day-quota.ts';
import { LastUse } from '../../../core/access/last-use.ts';
import type { Credentials } from '../../../core/access/token-index.ts';
import { type TokenRequest, TokenService } from '../../../core/access/token-service.ts';
import { Tokens } from '../../../core/access/tokens.ts';
import { scratchDirectory } from '../../system/scratch-directory.ts';
import { type Clock, clockAt } from '../clock.ts';
import { scratchEngine } from '../scratch-store.ts';

const wish: TokenRequest = {
  tier: 'FREE',
  email: 'ann@example.com',
  expiresAt: 0,
  allowIps: [],
  allowDomains: [],
};
/** A caller whose IP address is in no allow-list of these tests. */
export const anywhere = { address: '203.0.113.9', domain: '' };

interface Opened {
  clock: Clock;
  authenticator: Authenticator;
  quota: DayQuota;
  lastUse: LastUse;
  tokenService: TokenService;
  /** Creates a token. Returns its id and its credentials. */
  token(change?: Partial<TokenRequest>): Promise<{ id: string; credentials: Credentials }>;
  /** Counts `times` requests against the daily quota of a token. */
  use(id: string, times: number): void;
}

/**
 * Opens an authenticator with an empty store. Limits in requests per second: `burstLimit` per token, `addressLimit` per
 * IP address (0 is off).
 */
export async function openAuthenticator(
  t: TestContext,
  burstLimit = 10_000,
  addressLimit = 0,
): Promise<Opened> {
  const clock = clockAt();
  let quota: DayQuota | undefined;
  let lastUse: LastUse | undefined;
  // This hook closes the quotas and last-use times, and must run before the hook that closes the store. Hooks run in
  // the order in which they are registered, so this hook is registered first.
  t.after(() => {
    quota?.close();
    lastUse?.close();
  });
  const engine = await scratchEngine(t);
  const tokens = await Tokens.load(engine, scratchDirectory());
  quota = await DayQuota.load(engine, clock.now);
  lastUse = await LastUse.load(engine, clock.now);
  const tokenService = new TokenService(tokens, clock.now);
  return {
    clock,
    quota,
    lastUse,
    tokenService,
    authenticator: new Authenticator(tokens, quota, lastUse, burstLimit, clock.now, addressLimit),
    async token(change = {}) {
      const { secret, token } = await tokenService.create({ ...wish, ...change });
      return { id: token.id, credentials: { token: secret, tier: token.tier, email: token.email } };
    },
    use(id, times) {
      for (let i = 0; i < times; i++) quota?.charge(id);
    },
  };
}
