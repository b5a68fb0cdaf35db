import { payloadObject } from '../../proto/codec/payload-object.ts';
import type { FetchMeta } from '../../proto/generated/gsq/v1/FetchMeta.ts';
import type { FetchServersResponse } from '../../proto/generated/gsq/v1/FetchServersResponse.ts';
import type { FirewallLabel__Output as FirewallLabel } from '../../proto/generated/gsq/v1/FirewallLabel.ts';
import type { ServerPayload } from '../../proto/generated/gsq/v1/ServerPayload.ts';
import type { ServerResult } from '../../proto/generated/gsq/v1/ServerResult.ts';
import type { ServerStatus } from '../../proto/generated/gsq/v1/ServerStatus.ts';
import type { FetchedPair } from '../servers/fetch-request.ts';
import { type FreshnessRules, showAt } from '../servers/freshness.ts';
import type { Label, ServerRecord, Status } from '../servers/server-record.ts';
import { viewOf } from '../servers/server-view.ts';
import { fallbackMessages } from './fallback-message.ts';
import { intervalMinutes } from './payload.ts';

const statusNames: Record<Status, ServerStatus> = {
  pending: 'SERVER_STATUS_PENDING',
  online: 'SERVER_STATUS_ONLINE',
  offline: 'SERVER_STATUS_OFFLINE',
};

/**
 * Maps the firewall label of a server to its name in the gRPC API. A firewall label tells how the server or its
 * firewall treats probes. REST answers contain the label as `_updater.firewall_label`.
 */
export const labelNames: Record<Label, FirewallLabel> = {
  none: 'FIREWALL_LABEL_NONE',
  rate_limited: 'FIREWALL_LABEL_RATE_LIMITED',
  challenge_only: 'FIREWALL_LABEL_CHALLENGE_ONLY',
  filtered: 'FIREWALL_LABEL_FILTERED',
  cached: 'FIREWALL_LABEL_CACHED',
};

/**
 * Converts Unix ms to a google.protobuf.Timestamp. Returns null for 0, the time of an event that has not happened yet.
 */
export function timestamp(ms: number): { seconds: number; nanos: number } | null {
  if (ms === 0) return null;
  return { seconds: Math.floor(ms / 1000), nanos: Math.floor(ms % 1000) * 1_000_000 };
}

/** Returns the payload (game data) of a server that has answered, as a typed gRPC message. */
function payloadMessage({ data, address, lastOnlineAt }: ServerRecord): ServerPayload {
  const payload = payloadObject(data);
  return { ...payload, connect: payload.connect || address, updated: timestamp(lastOnlineAt) };
}

/** Returns a tracked server as a typed gRPC message. */
export function serverResult(
  names: { gameId: string; server: string },
  record: ServerRecord,
  now: number,
  rules: FreshnessRules,
): ServerResult {
  const view = viewOf(record);
  const stale = showAt(view, now, rules);
  return {
    gameId: names.gameId,
    server: names.server,
    updater: {
      status: statusNames[view.status],
      firewallIntervalMinutes: intervalMinutes(record.intervalMs),
      firewallLabel: labelNames[record.label],
      nextProbeAt: timestamp(record.nextProbeAt),
      lastProbeAt: timestamp(record.lastProbeAt),
      lastOnlineAt: timestamp(record.lastOnlineAt),
      reason: view.status === 'online' ? '' : view.reason,
    },
    payload: record.lastOnlineAt === 0 ? null : payloadMessage(record),
    stale: stale
      ? {
          reason: stale.reason,
          ageSeconds: stale.ageSeconds,
          thresholdSeconds: stale.thresholdSeconds,
          lastSuccessAt: timestamp(stale.lastSuccessAt),
        }
      : null,
    message: record.lastOnlineAt === 0 ? fallbackMessages[view.reason] : '',
  };
}

function pairResult(pair: FetchedPair, now: number, rules: FreshnessRules): ServerResult {
  if (pair.record) return serverResult(pair, pair.record, now, rules);
  return {
    gameId: pair.gameId,
    server: pair.server,
    updater: { status: 'SERVER_STATUS_INVALID', firewallLabel: 'FIREWALL_LABEL_NONE' },
    message: pair.invalid?.message ?? '',
  };
}

/** Returns the result for a server that was removed while the caller watched it. */
export function untrackedResult({ gameId, server }: { gameId: string; server: string }): ServerResult {
  return {
    gameId,
    server,
    updater: { status: 'SERVER_STATUS_INVALID', firewallLabel: 'FIREWALL_LABEL_NONE' },
    message: 'This server is no longer tracked; a fetch or a new stream tracks it again.',
  };
}

/** Returns the `meta` part of a fetch response. It lists the inserted servers and the invalid addresses. */
export function fetchMeta(pairs: readonly FetchedPair[]): FetchMeta {
  const insertedServers = pairs.filter(pair => pair.inserted);
  return {
    autoInserted: insertedServers.length,
    insertedServers: insertedServers.map(({ gameId, server }) => ({ gameId, server })),
    invalidServers: pairs.flatMap(({ gameId, server, invalid }) =>
      invalid ? [{ gameId, server, ...invalid }] : [],
    ),
  };
}

/** Returns the result of a fetch as a typed gRPC message. */
export function fetchResponse(
  pairs: readonly FetchedPair[],
  now: number,
  rules: FreshnessRules,
): FetchServersResponse {
  return { results: pairs.map(pair => pairResult(pair, now, rules)), meta: fetchMeta(pairs) };
}
