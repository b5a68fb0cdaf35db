import type { ServerPayload__Output } from '../../proto/generated/gsq/v1/ServerPayload.ts';
import type { ServerRecord } from './server-record.ts';

/** An instant as the wire shows it: ISO 8601 UTC with three decimals, or null where it has not happened yet. */
export function isoTime(ms: number): string | null {
  return ms === 0 ? null : new Date(ms).toISOString();
}

/** At least 1: the contract counts the interval in whole minutes. */
export function intervalMinutes(ms: number): number {
  return Math.max(1, Math.ceil(ms / 60_000));
}

type Timing = Pick<
  ServerRecord,
  'status' | 'label' | 'intervalMs' | 'nextProbeAt' | 'lastProbeAt' | 'lastOnlineAt'
>;

/** The `_updater` object of a server; CONTRACT, all six keys always there. */
export function updaterObject(server: Timing) {
  return {
    status: server.status,
    firewall_interval_minutes: intervalMinutes(server.intervalMs),
    firewall_label: server.label,
    next_probe_at: isoTime(server.nextProbeAt),
    last_probe_at: isoTime(server.lastProbeAt),
    last_online_at: isoTime(server.lastOnlineAt),
  };
}

/** `YYYY-MM-DD HH:MM:SS` UTC. */
function sqlTime(ms: number): string {
  return new Date(ms).toISOString().slice(0, 19).replace('T', ' ');
}

/**
 * The data half of a payload, as JSON without the closing brace, ready for `,"_updater":…}`.
 * Holds none of the keys by which clients would re-key the row (CONTRACT).
 */
export function renderData(payload: ServerPayload__Output, address: string, probedAt: number): Buffer {
  const data = {
    name: payload.name,
    map: payload.map,
    players: payload.players,
    maxplayers: payload.maxplayers,
    numplayers: payload.players,
    numbots: payload.numbots,
    password: payload.password,
    version: payload.version,
    ping: payload.ping,
    connect: payload.connect || address,
    updated: sqlTime(probedAt),
    raw: {
      numbots: payload.numbots,
      players: payload.playerList.map(({ name, score, time }) => ({ name, score, time })),
    },
  };
  return Buffer.from(JSON.stringify(data).slice(0, -1));
}

const WAITING = 'No data yet: this server is waiting for its first probe.';
const SILENT = 'No data: this server has not answered any probe so far.';

/** Why there is no payload, for people. */
export function fallbackMessage(server: Timing): string {
  return server.lastProbeAt === 0 ? WAITING : SILENT;
}

/** Joins data and `_updater` into the JSON a fetch answers with; without data, the fallback message object. */
export function renderJson(server: Timing, data: Buffer): Buffer {
  const updater = JSON.stringify(updaterObject(server));
  if (data.length > 0) return Buffer.concat([data, Buffer.from(`,"_updater":${updater}}`)]);
  return Buffer.from(`{"message":${JSON.stringify(fallbackMessage(server))},"_updater":${updater}}`);
}

/** The fallback message object of a pair that is not valid. */
export function renderInvalid(message: string): Buffer {
  return Buffer.from(
    JSON.stringify({
      message,
      _updater: {
        status: 'invalid',
        firewall_interval_minutes: 0,
        firewall_label: 'none',
        next_probe_at: null,
        last_probe_at: null,
        last_online_at: null,
      },
    }),
  );
}
