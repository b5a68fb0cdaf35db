import type { Metadata } from '@grpc/grpc-js';
import type { GetHistoryRequest__Output } from '../../proto/generated/gsq/v1/GetHistoryRequest.ts';
import type { GetUptimeRequest__Output } from '../../proto/generated/gsq/v1/GetUptimeRequest.ts';
import type { HistoryServiceHandlers } from '../../proto/generated/gsq/v1/HistoryService.ts';
import type { ListIncidentsRequest__Output } from '../../proto/generated/gsq/v1/ListIncidentsRequest.ts';
import { type HistoryRange, historyRange } from '../history/history-range.ts';
import type { HistoryReader } from '../history/history-reader.ts';
import { incidentsBefore, incidentToken } from '../history/incident-token.ts';
import { type UptimeWindow, uptimeWindows } from '../history/uptime-window.ts';
import {
  type HistoryFound,
  historyJson,
  historyMessage,
  type IncidentsFound,
  incidentsJson,
  incidentsMessage,
  type UptimeFound,
  uptimeJson,
  uptimeMessage,
} from '../render/history-answers.ts';
import type { ServerRecord } from '../servers/server-record.ts';
import type { Handlers } from './handler.ts';
import { jsonBody } from './json-body.ts';
import { type NamedServerDependencies, namedKey, trackedServer } from './named-server.ts';
import type { Readers } from './readers.ts';
import { trendMethods } from './trend-methods.ts';

const DEFAULT_PAGE = 50;
const MAX_PAGE = 1_000;

/** Dependencies of `historyService`, which creates the handlers of HistoryService. */
export interface HistoryServiceDependencies extends NamedServerDependencies {
  readers: Readers;
  history: HistoryReader;
  now: () => number;
}

interface Call<Request> {
  metadata: Metadata;
  getPeer(): string;
  request: Request;
}

/** Request for a page of incidents: at most `size` incidents that started earlier than the time `before` (Unix ms). */
interface IncidentPage {
  before: number;
  size: number;
}

/** Creates the handlers of HistoryService. */
export function historyService(dependencies: HistoryServiceDependencies, handlers: Handlers) {
  const { readers, history, now } = dependencies;

  /**
   * Makes a handler that checks the caller, and answers from the history of the server in the request. `check` parses
   * the request, and throws QUERY_1 if it is not valid. An invalid request does not count against the quota.
   */
  const reading = <Request extends { gameId: string; server: string }, Query, Found, Answer>(
    check: (request: Request, key: string) => Query,
    read: (query: Query, server: ServerRecord) => Promise<Found>,
    answer: (found: Found) => Answer,
  ) =>
    handlers.unary<Request, Answer>(async (call: Call<Request>, account) => {
      const { reader, charge } = await readers.admit(call);
      account.tokenId = reader.tokenId;
      account.addresses = 1;
      const key = namedKey(dependencies, call.request);
      const query = check(call.request, key);
      charge();
      return answer(await read(query, await trackedServer(dependencies, key, reader)));
    });

  const checkHistory = (request: GetHistoryRequest__Output): HistoryRange => {
    const wish = { from: unixMs(request.from), to: unixMs(request.to), step: request.step };
    return historyRange(wish, history.retention, now());
  };

  const readHistory = async (range: HistoryRange, server: ServerRecord): Promise<HistoryFound> => ({
    server,
    range,
    steps: await history.steps(server, range),
  });

  const checkUptime = (request: GetUptimeRequest__Output): UptimeWindow[] => uptimeWindows(request.window);

  const readUptime = async (windows: readonly UptimeWindow[], server: ServerRecord): Promise<UptimeFound> => {
    const read = async (window: UptimeWindow) => ({ window, figures: await history.window(server, window) });
    return { server, windows: await Promise.all(windows.map(read)) };
  };

  const checkIncidents = (request: ListIncidentsRequest__Output, key: string): IncidentPage => ({
    before: incidentsBefore(key, request.pageToken),
    size: Math.min(request.pageSize || DEFAULT_PAGE, MAX_PAGE),
  });

  const readIncidents = async (
    { before, size }: IncidentPage,
    server: ServerRecord,
  ): Promise<IncidentsFound> => {
    const found = await history.incidents(server, before, size + 1);
    const incidents = found.slice(0, size);
    const last = incidents.at(-1);
    const nextPageToken = found.length > size && last ? incidentToken(server.key, last.started) : '';
    return { server, incidents, nextPageToken };
  };

  const body =
    <Found>(render: (found: Found) => Buffer) =>
    (found: Found) =>
      jsonBody(render(found));

  return {
    GetHistory: reading(checkHistory, readHistory, historyMessage),
    GetHistoryJson: reading(checkHistory, readHistory, body(historyJson)),
    ...trendMethods(dependencies, handlers),
    GetUptime: reading(checkUptime, readUptime, uptimeMessage),
    GetUptimeJson: reading(checkUptime, readUptime, body(uptimeJson)),
    ListIncidents: reading(checkIncidents, readIncidents, incidentsMessage),
    ListIncidentsJson: reading(checkIncidents, readIncidents, body(incidentsJson)),
  } satisfies HistoryServiceHandlers;
}

function unixMs(time: { seconds: number; nanos: number } | null): number | undefined {
  return time ? time.seconds * 1_000 + Math.floor(time.nanos / 1e6) : undefined;
}
