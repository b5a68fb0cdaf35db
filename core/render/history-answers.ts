import type { GetHistoryResponse } from '../../proto/generated/gsq/v1/GetHistoryResponse.ts';
import type { GetTrendsResponse } from '../../proto/generated/gsq/v1/GetTrendsResponse.ts';
import type { GetUptimeResponse } from '../../proto/generated/gsq/v1/GetUptimeResponse.ts';
import type { ListIncidentsResponse } from '../../proto/generated/gsq/v1/ListIncidentsResponse.ts';
import type { HistoryRange } from '../history/history-range.ts';
import type { Figures, OfflineSpan } from '../history/history-store.ts';
import type { UptimeWindow } from '../history/uptime-window.ts';
import type { ServerRecord } from '../servers/server-record.ts';
import { timestamp } from './server-results.ts';

type Named = Pick<ServerRecord, 'gameId' | 'address'>;

/**
 * The history of a server: a range of time that is divided into steps, with the uptime and player figures of each step.
 * The figures are undefined if the status of the server is unknown in the whole step.
 */
export interface HistoryFound {
  server: Named;
  range: HistoryRange;
  steps: readonly (Figures | undefined)[];
}

/** The histories of several servers, all for the same range of time. */
export interface TrendsFound {
  range: HistoryRange;
  trends: readonly HistoryFound[];
}

/** The uptime of a server, with figures for each window of the request. A window is a time span that ends now. */
export interface UptimeFound {
  server: Named;
  windows: readonly { window: UptimeWindow; figures: Figures }[];
}

/**
 * One page of the incidents of a server: the times in which it was offline. `nextPageToken` is empty on the last page.
 */
export interface IncidentsFound {
  server: Named;
  incidents: readonly OfflineSpan[];
  nextPageToken: string;
}

/**
 * The uptime and player figures of a server in one span of time, in an answer about history. Unknown figures are
 * absent.
 */
interface Shares {
  playersMean?: number;
  playersMax?: number;
  onlineShare?: number;
  knownShare: number;
}

/**
 * Computes the uptime and player figures of a server in one span of time. Rounds shares (0 to 1) to six decimals, and
 * the mean number of players to three.
 */
function sharesOf({ from, to, knownMs, onlineMs, countedMs, playerMs, playersMax }: Figures): Shares {
  return {
    ...(countedMs > 0 && { playersMean: rounded(playerMs / countedMs, 3), playersMax }),
    ...(knownMs > 0 && { onlineShare: rounded(onlineMs / knownMs, 6) }),
    knownShare: rounded(knownMs / (to - from), 6),
  };
}

function rounded(value: number, decimals: number): number {
  return Math.round(value * 10 ** decimals) / 10 ** decimals;
}

/** Returns a history as a protobuf message. */
export function historyMessage({ server, range, steps }: HistoryFound): GetHistoryResponse {
  const samples = steps.map((figures, i) => ({
    at: timestamp(range.from + i * range.stepMs),
    ...(figures ? sharesOf(figures) : { knownShare: 0 }),
  }));
  return {
    gameId: server.gameId,
    server: server.address,
    stepSeconds: range.stepMs / 1_000,
    from: timestamp(range.from),
    to: timestamp(range.to),
    samples,
  };
}

/**
 * Returns a history as the JSON of a REST answer. The history is divided into time steps. If nothing is known about a
 * time step, the JSON contains `null` for it.
 */
export function historyJson({ server, range, steps }: HistoryFound): Buffer {
  const samples = steps.map((figures, i) => {
    if (!figures) return null;
    const { playersMean, playersMax, onlineShare, knownShare } = sharesOf(figures);
    return {
      at: time(range.from + i * range.stepMs),
      players_mean: playersMean ?? null,
      players_max: playersMax ?? null,
      online_share: onlineShare ?? null,
      known_share: knownShare,
    };
  });
  return json(server, {
    step_seconds: range.stepMs / 1_000,
    from: time(range.from),
    to: time(range.to),
    samples,
  });
}

/** Returns the player trends of several servers as a protobuf message. */
export function trendsMessage({ range, trends }: TrendsFound): GetTrendsResponse {
  return {
    stepSeconds: range.stepMs / 1_000,
    from: timestamp(range.from),
    trends: trends.map(({ server, steps }) => ({
      gameId: server.gameId,
      server: server.address,
      players: steps.map(figures => meanPlayers(figures) ?? -1),
    })),
  };
}

/**
 * Returns the player trends of several servers as the JSON of a REST answer. An unknown number of players is `null`.
 */
export function trendsJson({ range, trends }: TrendsFound): Buffer {
  const shown = trends.map(({ server, steps }) => ({
    game_id: server.gameId,
    server: server.address,
    players: steps.map(figures => meanPlayers(figures) ?? null),
  }));
  const answer = { step_seconds: range.stepMs / 1_000, from: time(range.from), trends: shown };
  return Buffer.from(JSON.stringify(answer));
}

function meanPlayers(figures: Figures | undefined): number | undefined {
  if (!figures || figures.countedMs === 0) return undefined;
  return Math.round(figures.playerMs / figures.countedMs);
}

/** Returns the uptime of a server as a protobuf message. */
export function uptimeMessage({ server, windows }: UptimeFound): GetUptimeResponse {
  return {
    gameId: server.gameId,
    server: server.address,
    windows: windows.map(({ window, figures }) => {
      const { onlineShare, knownShare } = sharesOf(figures);
      return { window: window.text, ...(onlineShare !== undefined && { onlineShare }), knownShare };
    }),
  };
}

/** Returns the uptime of a server as the JSON of a REST answer. */
export function uptimeJson({ server, windows }: UptimeFound): Buffer {
  const shown = windows.map(({ window, figures }) => {
    const { onlineShare, knownShare } = sharesOf(figures);
    return { window: window.text, online_share: onlineShare ?? null, known_share: knownShare };
  });
  return json(server, { windows: shown });
}

/** Returns a page of incidents as a protobuf message. */
export function incidentsMessage({
  server,
  incidents,
  nextPageToken,
}: IncidentsFound): ListIncidentsResponse {
  return {
    gameId: server.gameId,
    server: server.address,
    incidents: incidents.map(({ started, ended, reason }) => ({
      started: timestamp(started),
      ended: ended === undefined ? null : timestamp(ended),
      reason,
    })),
    nextPageToken,
  };
}

/** Returns a page of incidents as the JSON of a REST answer. */
export function incidentsJson({ server, incidents, nextPageToken }: IncidentsFound): Buffer {
  const shown = incidents.map(({ started, ended, reason }) => ({
    started: time(started),
    ended: ended === undefined ? null : time(ended),
    reason,
  }));
  return json(server, { incidents: shown, next_page_token: nextPageToken });
}

function json({ gameId, address }: Named, fields: object): Buffer {
  return Buffer.from(JSON.stringify({ game_id: gameId, server: address, ...fields }));
}

function time(ms: number): string {
  return new Date(ms).toISOString();
}
