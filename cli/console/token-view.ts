import type { Token__Output as Token } from '../../proto/generated/gsq/v1/Token.ts';
import { type Arguments, UsageError } from './command.ts';
import type { Cell } from './text-table.ts';
import { isoTime } from './timestamp.ts';

/**
 * Returns the token id from the arguments of a command that accepts exactly one token id. Throws UsageError if the id
 * is missing or if there are more arguments.
 */
export function oneTokenId({ positionals: [id, ...more] }: Arguments): string {
  if (id === undefined || more.length > 0) throw new UsageError('the id of one token is needed');
  return id;
}

/** Returns a token in the JSON format that all commands use (docs/cli.md). */
export function tokenJson(token: Token) {
  return {
    id: token.id,
    type: token.tier,
    email: token.email,
    created_at: isoTime(token.createdAt),
    expires_at: isoTime(token.expiresAt),
    revoked_at: isoTime(token.revokedAt),
    previous_secret_until: isoTime(token.previousSecretUntil),
    allow_ips: token.allowIps,
    allow_domains: token.allowDomains,
    used: token.used,
    quota: token.quota === 0 ? null : token.quota,
    last_used_at: isoTime(token.lastUsedAt),
  };
}

function stateOf(token: Token, now: number): 'live' | 'expired' | 'revoked' {
  if (token.revokedAt) return 'revoked';
  return token.expiresAt && token.expiresAt.seconds * 1000 <= now ? 'expired' : 'live';
}

/** Returns a table cell: whether a token is live, expired or revoked at `now` (Unix time in milliseconds). */
export function stateCell(token: Token, now: number): Cell {
  const text = stateOf(token, now);
  return { text, style: text === 'live' ? 'good' : 'bad' };
}

/**
 * Returns the addresses and domains from which a token can be used, separated by commas; `anywhere` if the token has no
 * such limit.
 */
export function allowedFrom(token: Token): string {
  return [...token.allowIps, ...token.allowDomains].join(', ') || 'anywhere';
}
