import type { TestContext } from 'node:test';
import { type TokenRequest, TokenService } from '../../../core/access/token-service.ts';
import { Tokens } from '../../../core/access/tokens.ts';
import { scratchDirectory } from '../../system/scratch-directory.ts';
import { clockAt } from '../clock.ts';
import { openEngine } from '../scratch-store.ts';

/**
 * Request to create an API token of the tier FREE. The token never expires, and callers can use it from every IP
 * address and domain.
 */
export const freeToken: TokenRequest = {
  tier: 'FREE',
  email: 'Ann@Example.com',
  expiresAt: 0,
  allowIps: [],
  allowDomains: [],
};
/** A valid secret that the operator chooses, for example in GSQ_BOOTSTRAP_TOKEN. */
export const SECRET = 'a secret of sixteen or more';

/** An IP allow-list with 101 entries, one more than the maximum. */
export const longList = Array<string>(101).fill('10.0.0.1');

/**
 * Opens an empty store and a token service. `restart` opens the store again, and also returns its content as text
 * (`stored`).
 */
export async function openTokens(t: TestContext) {
  const directory = scratchDirectory();
  const clock = clockAt();
  const engine = await openEngine(t, directory);
  const tokens = await Tokens.load(engine, directory);
  return {
    clock,
    directory,
    engine,
    tokens,
    tokenService: new TokenService(tokens, clock.now),
    async restart(): Promise<{ tokens: Tokens; tokenService: TokenService; stored: string }> {
      await engine.close();
      const again = await openEngine(t, directory);
      let stored = '';
      for await (const [key, value] of again.entries('')) stored += `${key} ${value}\n`;
      const found = await Tokens.load(again, directory);
      return { tokens: found, tokenService: new TokenService(found, clock.now), stored };
    },
  };
}

/** Returns true if the secret is valid at the time `now` (Unix ms) for a FREE token of ann@example.com. */
export const isValid = (tokens: Tokens, secret: string, now: number): boolean =>
  tokens.verify({ token: secret, tier: 'FREE', email: 'ann@example.com' }, now) !== undefined;
