import { gsqV1 } from '../../proto/descriptors.ts';
import type { CallCore } from '../service/core-call.ts';
import type { ListEntry, Refusal } from './list-entry.ts';

const admin = gsqV1.AdminService.service;

/**
 * Numbers of lines of an imported list: read, inserted, already tracked and refused. If a list contains a new server
 * twice, its first line counts as inserted, and its second line as already tracked.
 */
export interface ImportCounts {
  read: number;
  inserted: number;
  already_tracked: number;
  refused: number;
}

const pairOf = (gameId: string, server: string): string => JSON.stringify([gameId, server]);

/**
 * Imports one batch of lines. If `dryRun` is true, the core only checks the servers. Returns the refused lines in file
 * order. If the core does not answer, rejects with CommandError and leaves `counts` unchanged.
 */
export async function importBatch(
  call: CallCore,
  batch: readonly ListEntry[],
  dryRun: boolean,
  counts: ImportCounts,
): Promise<Refusal[]> {
  const games = new Map<string, string[]>();
  for (const entry of batch) {
    if ('reason' in entry) continue;
    const servers = games.get(entry.gameId);
    if (servers) servers.push(entry.server);
    else games.set(entry.gameId, [entry.server]);
  }
  const servers = [...games].map(([gameId, addresses]) => ({ gameId, servers: addresses }));
  const meta = servers.length === 0 ? undefined : await judge(call, servers, dryRun);
  const inserted = new Set(meta?.insertedServers.map(({ gameId, server }) => pairOf(gameId, server)));
  const invalid = new Map(meta?.invalidServers.map(each => [pairOf(each.gameId, each.server), each]));
  const refusals: Refusal[] = [];
  for (const entry of batch) {
    const pair = pairOf(entry.gameId ?? '', entry.server ?? '');
    const why = 'reason' in entry ? entry : invalid.get(pair);
    if (why) refusals.push({ ...entry, reason: why.reason, message: why.message });
    else if (inserted.delete(pair)) counts.inserted++;
    else counts.already_tracked++;
  }
  counts.read += batch.length;
  counts.refused += refusals.length;
  return refusals;
}

async function judge(call: CallCore, servers: { gameId: string; servers: string[] }[], dryRun: boolean) {
  const { meta } = dryRun
    ? await call(admin.CheckServers, { servers })
    : await call(admin.AddServers, { servers });
  return meta;
}
