import type { Metadata } from '@grpc/grpc-js';
import type { GetHistoryRequest__Output } from '../../proto/generated/gsq/v1/GetHistoryRequest.ts';
import type { GetUptimeRequest__Output } from '../../proto/generated/gsq/v1/GetUptimeRequest.ts';
import type { HistoryServiceHandlers } from '../../proto/generated/gsq/v1/HistoryService.ts';
import type { ListIncidentsRequest__Output } from '../../proto/generated/gsq/v1/ListIncidentsRequest.ts';
import { historyRange } from '../history/history-range.ts';
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
import { type NamedServerDependencies, namedServer } from './named-server.ts';
import type { Readers } from './readers.ts';

const DEFAULT_PAGE = 50;
const MAX_PAGE = 1_000;

/** Dependencies of `historyService`. */
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

/** Creates the handlers of HistoryService. */
export function historyService(dependencies: HistoryServiceDependencies, handlers: Handlers) {
  const { readers, history, now } = dependencies;

  /** Makes a handler that admits the caller, finds the named server, and answers from its history. */
  const reading = <Request extends { gameId: string; server: string }, Found, Answer>(
    read: (request: Request, server: ServerRecord) => Promise<Found>,
    answer: (found: Found) => Answer,
  ) =>
    handlers.unary<Request, Answer>(async (call: Call<Request>, account) => {
      const reader = await readers.admit(call);
      account.tokenId = reader.tokenId;
      account.addresses = 1;
      return answer(await read(call.request, namedServer(dependencies, call.request)));
    });

  const readHistory = async (
    request: GetHistoryRequest__Output,
    server: ServerRecord,
  ): Promise<HistoryFound> => {
    const wish = { from: unixMs(request.from), to: unixMs(request.to), step: request.step };
    const range = historyRange(wish, history.retention, now());
    return { server, range, steps: await history.steps(server, range) };
  };

  const readUptime = async (
    request: GetUptimeRequest__Output,
    server: ServerRecord,
  ): Promise<UptimeFound> => {
    const read = async (window: UptimeWindow) => ({ window, figures: await history.window(server, window) });
    return { server, windows: await Promise.all(uptimeWindows(request.window).map(read)) };
  };

  const readIncidents = async (
    request: ListIncidentsRequest__Output,
    server: ServerRecord,
  ): Promise<IncidentsFound> => {
    const size = Math.min(request.pageSize || DEFAULT_PAGE, MAX_PAGE);
    const before = incidentsBefore(server.key, request.pageToken);
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
    GetHistory: reading(readHistory, historyMessage),
    GetHistoryJson: reading(readHistory, body(historyJson)),
    GetUptime: reading(readUptime, uptimeMessage),
    GetUptimeJson: reading(readUptime, body(uptimeJson)),
    ListIncidents: reading(readIncidents, incidentsMessage),
    ListIncidentsJson: reading(readIncidents, body(incidentsJson)),
  } satisfies HistoryServiceHandlers;
}

function unixMs(time: { seconds: number; nanos: number } | null): number | undefined {
  return time ? time.seconds * 1_000 + Math.floor(time.nanos / 1e6) : undefined;
}
