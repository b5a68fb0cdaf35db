import type { RequestListener, ServerResponse } from 'node:http';
import { PayloadReader } from '../../proto/codec/payload.generated.ts';
import { type FreshnessRules, showAt } from '../servers/freshness.ts';
import { type ServerRecord, serverKey } from '../servers/server-record.ts';
import type { ServerStore } from '../servers/server-store.ts';
import { viewOf } from '../servers/server-view.ts';

/** The clock, and the rules that decide when the data of a server is too old. */
export interface SeriesTime {
  now: () => number;
  freshness: FreshnessRules;
}

/** URL path of the metrics of single servers. */
export const SERVER_SERIES_PATH = '/metrics/servers';

/**
 * Maximum number of servers that are read from the store in one step. The event loop can do other work between two
 * steps.
 */
const PAGE = 200;
const CONTENT_TYPE = 'text/plain; version=0.0.4; charset=utf-8';

/**
 * One metric that every server can have. `of` returns the value of one server, or undefined if this server has no
 * value.
 */
interface Series {
  name: string;
  help: string;
  of(record: ServerRecord, payload: PayloadReader | undefined): number | undefined;
}

/**
 * Converts a player count to the value of a metric. The count -1 means that the server does not report the count. The
 * metric then has no value for this server.
 */
const told = (count: number | undefined): number | undefined => (count === -1 ? undefined : count);

const SERIES: readonly Series[] = [
  {
    name: 'gsq_server_online',
    help: '1 while the server is online, 0 while it is offline.',
    of: ({ status }) => (status === 'pending' ? undefined : Number(status === 'online')),
  },
  {
    name: 'gsq_server_players',
    help: 'Number of players on the server.',
    of: (_, payload) => told(payload?.players),
  },
  {
    name: 'gsq_server_max_players',
    help: 'Maximum number of players on the server.',
    of: (_, payload) => told(payload?.maxplayers),
  },
  {
    name: 'gsq_server_ping_seconds',
    help: 'Time that the server needed to answer its last probe.',
    of: (_, payload) => payload?.ping && payload.ping / 1000,
  },
  {
    name: 'gsq_server_last_online_timestamp_seconds',
    help: 'Time of the last answer of the server, as Unix time.',
    of: ({ lastOnlineAt }) => (lastOnlineAt === 0 ? undefined : lastOnlineAt / 1000),
  },
];

/**
 * Answers `/metrics/servers` with the metrics of at most `limit` servers. The query parameter `game=<id>` selects a
 * game and can be repeated. `/metrics` does not contain these metrics, because a million time series would cost the
 * monitoring system too much memory.
 */
export function serverSeries(
  store: Pick<ServerStore, 'list'>,
  limit: number,
  time: SeriesTime,
): RequestListener {
  return (request, response) => {
    const url = new URL(request.url ?? '', 'http://ops');
    if (url.pathname !== SERVER_SERIES_PATH) {
      refuse(response, 404, `The ops endpoint knows /livez, /readyz, /metrics and ${SERVER_SERIES_PATH}.`);
    } else if (limit === 0) {
      refuse(
        response,
        404,
        'Metrics of single servers are off; to switch them on, set GSQ_SERVER_SERIES to the maximum number of servers.',
      );
    } else {
      exposition(store, limit, time, url.searchParams.getAll('game')).then(
        text => {
          response.writeHead(200, { 'content-type': CONTENT_TYPE });
          response.end(text);
        },
        () => response.writeHead(500).end(),
      );
    }
  };
}

async function exposition(
  store: Pick<ServerStore, 'list'>,
  limit: number,
  { now, freshness }: SeriesTime,
  games: readonly string[],
): Promise<string> {
  const lines = SERIES.map((): string[] => []);
  const prefixes = games.length === 0 ? [''] : [...new Set(games)].map(game => serverKey(game, ''));
  let left = limit;
  let cut = false;
  for (const prefix of prefixes) {
    let after = '';
    for (;;) {
      const records = await store.list(prefix, after, Math.min(PAGE, left + 1));
      for (const record of records.slice(0, left)) add(shownAt(record, now(), freshness), lines);
      cut ||= records.length > left;
      left -= Math.min(left, records.length);
      if (records.length < PAGE || left === 0) break;
      after = records.at(-1)?.key ?? '';
    }
  }
  const parts = SERIES.flatMap(({ name, help }, i) => [
    `# HELP ${name} ${help}`,
    `# TYPE ${name} gauge`,
    ...(lines[i] ?? []),
  ]);
  const cutName = 'gsq_server_series_cut';
  parts.push(
    `# HELP ${cutName} 1 if this request matches more servers than GSQ_SERVER_SERIES allows, else 0.`,
    `# TYPE ${cutName} gauge`,
    `${cutName} ${Number(cut)}`,
  );
  return `${parts.join('\n')}\n`;
}

/**
 * Returns a copy of the record with the status that a fetch would show at the time `now`. For example, the status
 * `online` becomes `pending` if the data is too old.
 */
function shownAt(record: ServerRecord, now: number, freshness: FreshnessRules): ServerRecord {
  const view = viewOf(record);
  showAt(view, now, freshness);
  return { ...record, status: view.status };
}

const shownPayload = new PayloadReader();

function add(record: ServerRecord, lines: string[][]): void {
  // Uses the last reply (payload) only if the server is online. For any other status, the reply is out of date.
  const payload = record.status === 'online' ? shownPayload : undefined;
  payload?.read(record.data, 0, record.data.length);
  const labels = `{game_id="${quoted(record.gameId)}",server="${quoted(record.address)}"}`;
  for (const [i, { name, of }] of SERIES.entries()) {
    const value = of(record, payload);
    if (value !== undefined) lines[i]?.push(`${name}${labels} ${value}`);
  }
}

function quoted(label: string): string {
  return label.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n');
}

function refuse(response: ServerResponse, status: number, message: string): void {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify({ error: 'ROUTE_1', message }));
}
