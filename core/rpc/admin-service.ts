import type { AdminServiceHandlers } from '../../proto/generated/gsq/v1/AdminService.ts';
import type { BackupRequest__Output } from '../../proto/generated/gsq/v1/BackupRequest.ts';
import type { BackupResponse } from '../../proto/generated/gsq/v1/BackupResponse.ts';
import type { GetStatsResponse } from '../../proto/generated/gsq/v1/GetStatsResponse.ts';
import { type AdminServerMethodsDependencies, adminServerMethods } from './admin-server-methods.ts';
import type { Handlers } from './handler.ts';
import { writeAndWait } from './stream-writer.ts';
import { type TokenMethodsDependencies, tokenMethods } from './token-methods.ts';

/** What the handlers of AdminService need from the core. */
export interface AdminServiceDependencies extends TokenMethodsDependencies, AdminServerMethodsDependencies {
  /** Yields all stored data as chunks of backup lines (proto/codec/backup-lines.ts). */
  backup(withoutHistory: boolean): AsyncIterable<Buffer>;
  /** `games`: maximum number of games in the statistics. */
  stats: { read(games: number): Promise<GetStatsResponse> };
}

/**
 * Names of the AdminService methods that only one core of a cluster serves: the lead, which writes the tokens and
 * webhooks.
 */
export const LEAD_METHODS = [
  'CreateToken',
  'ListTokens',
  'RevokeToken',
  'GetToken',
  'RotateToken',
  'AllowToken',
  'ExpireToken',
  'Backup',
] as const satisfies (keyof AdminServiceHandlers)[];

/**
 * Creates the handlers of AdminService. With this service, operators manage tokens and servers, make backups and read
 * statistics.
 */
export function adminService(dependencies: AdminServiceDependencies, handlers: Handlers) {
  const { backup, stats } = dependencies;
  return {
    ...tokenMethods(dependencies, handlers),
    ...adminServerMethods(dependencies, handlers),

    Backup: handlers.serverStream<BackupRequest__Output, BackupResponse>(async call => {
      for await (const lines of backup(call.request.withoutHistory)) {
        if (call.cancelled) return;
        await writeAndWait(call, { lines });
      }
    }),

    GetStats: handlers.unary(({ request }) => stats.read(request.games)),
  } satisfies AdminServiceHandlers;
}
