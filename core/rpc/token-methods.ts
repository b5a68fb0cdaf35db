import type { AdminServiceHandlers } from '../../proto/generated/gsq/v1/AdminService.ts';
import type { Token as TokenMessage } from '../../proto/generated/gsq/v1/Token.ts';
import { ServiceError } from '../../proto/service-error.ts';
import { FREE_DAY_QUOTA } from '../access/allowance.ts';
import type { DayQuota } from '../access/day-quota.ts';
import type { LastUse } from '../access/last-use.ts';
import { hasEnded, type Token } from '../access/token.ts';
import type { TokenService } from '../access/token-service.ts';
import { timestamp } from '../render/server-results.ts';
import type { Handlers } from './handler.ts';

/** Dependencies of `tokenMethods`. */
export interface TokenMethodsDependencies {
  tokenService: TokenService;
  quota: DayQuota;
  lastUse: LastUse;
  now: () => number;
}

/** Creates the methods of AdminService that create, list and change tokens. */
export function tokenMethods(
  { tokenService, quota, lastUse, now }: TokenMethodsDependencies,
  handlers: Handlers,
) {
  const tokenMessage = (token: Token): TokenMessage => ({
    id: token.id,
    tier: token.tier,
    email: token.email,
    createdAt: timestamp(token.createdAt),
    expiresAt: timestamp(token.expiresAt),
    revokedAt: timestamp(token.revokedAt),
    allowIps: [...token.allowIps],
    allowDomains: [...token.allowDomains],
    used: quota.used(token.id),
    quota: token.tier === 'FREE' ? FREE_DAY_QUOTA : 0,
    lastUsedAt: timestamp(lastUse.at(token.id)),
    previousSecretUntil: timestamp(previousUntil(token, now())),
  });

  return {
    CreateToken: handlers.unary(async ({ request }) => {
      const { secret, token } = await tokenService.create({
        tier: request.tier,
        email: request.email,
        expiresAt: expiryOf(request.expiresAt, now()),
        allowIps: request.allowIps,
        allowDomains: request.allowDomains,
      });
      return { secret, token: tokenMessage(token) };
    }),

    ListTokens: handlers.unary(() => ({ tokens: tokenService.list().map(tokenMessage) })),

    RevokeToken: handlers.unary(async ({ request }) => ({
      token: tokenMessage(await tokenService.revoke(request.id)),
    })),

    RotateToken: handlers.unary(async ({ request }) => {
      const { secret, token } = await tokenService.rotate(request.id, millisecondsOf(request.grace));
      return { secret, token: tokenMessage(token) };
    }),

    AllowToken: handlers.unary(async ({ request }) => {
      const lists = { ips: request.ips?.entries, domains: request.domains?.entries };
      return { token: tokenMessage(await tokenService.allow(request.id, lists)) };
    }),

    ExpireToken: handlers.unary(async ({ request }) => ({
      token: tokenMessage(await tokenService.expire(request.id, expiryOf(request.expiresAt, now()))),
    })),

    GetToken: handlers.unary(({ request }) => ({ token: tokenMessage(tokenService.get(request.id)) })),
  } satisfies Partial<AdminServiceHandlers>;
}

/** The end of the year 9999, in Unix seconds: the maximum of google.protobuf.Timestamp. */
const MAX_SECONDS = 253_402_300_799;

/**
 * Returns the wanted expiry time of a new token, in Unix ms, or 0 if the token is to be valid forever. Throws
 * ServiceError ADMIN_1 if the wanted time is in the past or after the year 9999.
 */
function expiryOf(wanted: { seconds: number } | null, now: number): number {
  if (!wanted) return 0;
  if (wanted.seconds > MAX_SECONDS) {
    throw new ServiceError(
      'ADMIN_1',
      'the expiry lies after the year 9999; leave it out for a token that never expires',
    );
  }
  const expiresAt = wanted.seconds * 1000;
  if (expiresAt <= now) throw new ServiceError('ADMIN_1', 'the expiry lies in the past');
  return expiresAt;
}

function millisecondsOf(duration: { seconds: number; nanos: number } | null): number | undefined {
  return duration ? duration.seconds * 1000 + duration.nanos / 1e6 : undefined;
}

/**
 * Returns the time at which the previous secret of a token stops being valid, Unix ms. Returns 0 if no previous secret
 * is valid.
 */
function previousUntil({ secrets }: Token, now: number): number {
  const until = secrets[1]?.until ?? 0;
  return hasEnded(until, now) ? 0 : until;
}
