import { parseAddress } from '../../net/address.ts';
import type { AdminServiceHandlers } from '../../proto/generated/gsq/v1/AdminService.ts';
import type { BackupRequest__Output } from '../../proto/generated/gsq/v1/BackupRequest.ts';
import type { BackupResponse } from '../../proto/generated/gsq/v1/BackupResponse.ts';
import type { Token as TokenMessage } from '../../proto/generated/gsq/v1/Token.ts';
import { ServiceError } from '../../proto/service-error.ts';
import { FREE_DAY_QUOTA } from '../access/authenticator.ts';
import type { DayQuota } from '../access/day-quota.ts';
import type { LastUse } from '../access/last-use.ts';
import { hasEnded, type Token } from '../access/token.ts';
import type { TokenService } from '../access/token-service.ts';
import type { Catalog } from '../catalog/catalog.ts';
import type { ServerCredentials } from '../credentials/server-credentials.ts';
import { fetchMeta, serverResult, timestamp } from '../render/server-results.ts';
import type { FreshnessRules } from '../servers/freshness.ts';
import type { GivenUpServers } from '../servers/given-up-servers.ts';
import {
  countAddresses,
  MAX_ADDRESSES,
  type ServerFetch,
  type ServerGroup,
} from '../servers/server-fetch.ts';
import { serverKey } from '../servers/server-record.ts';
import type { ServerStore } from '../servers/server-store.ts';
import { accessMessage, readAccessChange } from './access-change.ts';
import type { Handlers } from './handler.ts';
import type { ServiceStats } from './service-stats.ts';
import { writeAndWait } from './stream-writer.ts';

const DEFAULT_PAGE = 100;
const MAX_PAGE = 1000;

export interface AdminServiceParts {
  /** All that is stored, as lines. */
  backup(): AsyncIterable<Buffer>;
  office: TokenService;
  quota: DayQuota;
  lastUse: LastUse;
  catalog: Catalog;
  fetch: ServerFetch;
  store: ServerStore;
  credentials: ServerCredentials;
  unanswered: GivenUpServers;
  stats: ServiceStats;
  freshness: FreshnessRules;
  now: () => number;
}

function checkSize(groups: readonly ServerGroup[]): void {
  const count = countAddresses(groups);
  if (count > MAX_ADDRESSES) {
    throw new ServiceError(
      'ADMIN_1',
      `${count} addresses in one call; at most ${MAX_ADDRESSES} are allowed.`,
    );
  }
}

/** Milliseconds, 0 for never. Throws ServiceError ADMIN_1 for a time that is over. */
function expiryOf(wanted: { seconds: number } | null, now: number): number {
  if (!wanted) return 0;
  const expiresAt = wanted.seconds * 1000;
  if (expiresAt <= now) throw new ServiceError('ADMIN_1', 'the expiry lies in the past');
  return expiresAt;
}

function millisecondsOf(duration: { seconds: number; nanos: number } | null): number | undefined {
  return duration ? duration.seconds * 1000 + duration.nanos / 1e6 : undefined;
}

/** When the secret before the newest ends, as milliseconds; 0 where there is none that lives. */
function previousUntil({ secrets }: Token, now: number): number {
  const until = secrets[1]?.until ?? 0;
  return hasEnded(until, now) ? 0 : until;
}

/** AdminService: tokens, servers and figures, for operators. */
export function adminService(parts: AdminServiceParts, handlers: Handlers) {
  const {
    backup,
    office,
    quota,
    lastUse,
    catalog,
    fetch,
    store,
    credentials,
    unanswered,
    stats,
    freshness,
    now,
  } = parts;

  /** The id servers of a game are tracked under, also of one that the catalog has lost. */
  const trackedId = async (gameId: string): Promise<string> => {
    const game = catalog.current().find(gameId);
    if (game) return game.id;
    const [orphan] = await store.list(serverKey(gameId, ''), '', 1);
    if (orphan) return gameId;
    throw new ServiceError('ADMIN_1', `there is no game "${gameId}"; list them with: gsq games`);
  };

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
      const { secret, token } = await office.create({
        tier: request.tier,
        email: request.email,
        expiresAt: expiryOf(request.expiresAt, now()),
        allowIps: request.allowIps,
        allowDomains: request.allowDomains,
      });
      return { secret, token: tokenMessage(token) };
    }),

    ListTokens: handlers.unary(() => ({ tokens: office.list().map(tokenMessage) })),

    RevokeToken: handlers.unary(async ({ request }) => ({
      token: tokenMessage(await office.revoke(request.id)),
    })),

    RotateToken: handlers.unary(async ({ request }) => {
      const { secret, token } = await office.rotate(request.id, millisecondsOf(request.grace));
      return { secret, token: tokenMessage(token) };
    }),

    AllowToken: handlers.unary(async ({ request }) => {
      const lists = { ips: request.ips?.entries, domains: request.domains?.entries };
      return { token: tokenMessage(await office.allow(request.id, lists)) };
    }),

    ExpireToken: handlers.unary(async ({ request }) => ({
      token: tokenMessage(await office.expire(request.id, expiryOf(request.expiresAt, now()))),
    })),

    GetToken: handlers.unary(({ request }) => ({ token: tokenMessage(office.get(request.id)) })),

    AddServers: handlers.unary(async ({ request }) => {
      checkSize(request.servers);
      const change = readAccessChange(request, catalog.current());
      const pairs = await fetch.fetch(request.servers, 'admin', 0);
      const tracked = pairs.flatMap(({ record }) => record?.key ?? []);
      if (change) {
        await credentials.changeAccess(tracked, change);
        for (const key of tracked) store.hasten(key, now());
      }
      return { meta: fetchMeta(pairs) };
    }),

    RemoveServers: handlers.unary(async ({ request }) => {
      checkSize(request.servers);
      const refs = request.servers.flatMap(({ gameId, servers }) =>
        servers.map(server => ({ gameId, server })),
      );
      const keys: string[] = [];
      for (const { gameId, server } of refs) {
        const address = parseAddress(server);
        if (address.kind === 'malformed')
          throw new ServiceError('ADMIN_1', `the address "${server}" ${address.message}`);
        keys.push(serverKey(await trackedId(gameId), address.canonical));
      }
      const removed = await store.remove(keys);
      const unansweredRemoved = keys.map(key => unanswered.forget(key));
      return { removed: refs.filter((_, i) => removed[i] || unansweredRemoved[i]) };
    }),

    ListServers: handlers.unary(async ({ request }) => {
      const size = Math.min(request.pageSize || DEFAULT_PAGE, MAX_PAGE);
      const prefix = request.gameId === '' ? '' : serverKey(await trackedId(request.gameId), '');
      const records = await store.list(prefix, request.pageToken, size);
      return {
        servers: records.map(record =>
          serverResult({ gameId: record.gameId, server: record.address }, record, now(), freshness),
        ),
        nextPageToken: records.length === size ? (records.at(-1)?.key ?? '') : '',
        access: records.flatMap(record => accessMessage(record, credentials.namesOf(record.key)) ?? []),
      };
    }),

    Backup: handlers.serverStream<BackupRequest__Output, BackupResponse>(async call => {
      for await (const lines of backup()) {
        if (call.cancelled) return;
        await writeAndWait(call, { lines });
      }
    }),

    GetStats: handlers.unary(({ request }) => stats.read(request.games)),
  } satisfies AdminServiceHandlers;
}
