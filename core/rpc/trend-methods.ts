import type { Metadata } from '@grpc/grpc-js';
import type { CallAccount } from '../../proto/generated/codec/fetch.ts';
import type { GetTrendsRequest__Output } from '../../proto/generated/gsq/v1/GetTrendsRequest.ts';
import type { HistoryReader } from '../history/history-reader.ts';
import { DAY_MS } from '../history/units.ts';
import { type TrendsFound, trendsJson, trendsMessage } from '../render/history-answers.ts';
import { readFollowed } from './followed-servers.ts';
import type { Handlers } from './handler.ts';
import { jsonBody } from './json-body.ts';
import { badQuery } from './list-request.ts';
import type { NamedServerDependencies } from './named-server.ts';
import { isVisibleByName, type Readers } from './readers.ts';

/** Maximum number of servers in a request for trends (the numbers of players in the last 24 hours). */
const MAX_TRENDS = 100;
const STEP_MS = 1_800_000;

/** Dependencies of the methods that return trends. */
export interface TrendDependencies extends NamedServerDependencies {
  readers: Readers;
  history: HistoryReader;
  now: () => number;
}

interface Call {
  metadata: Metadata;
  getPeer(): string;
  request: GetTrendsRequest__Output;
}

/** Creates the methods of HistoryService that return the trends (last 24 hours) of several servers. */
export function trendMethods(
  { readers, catalog, records, history, now }: TrendDependencies,
  handlers: Handlers,
) {
  const read = async (call: Call, account: CallAccount): Promise<TrendsFound> => {
    const { reader, charge } = await readers.admit(call);
    account.tokenId = reader.tokenId;
    const { server } = call.request;
    if (server.length > MAX_TRENDS)
      throw badQuery([{ path: 'server', message: `${server.length} servers, at most ${MAX_TRENDS}` }]);
    const { keys = [] } = readFollowed({ server, game: '' }, catalog.current());
    account.addresses = keys.length;
    charge();
    const to = Math.ceil((now() + 1) / STEP_MS) * STEP_MS;
    const range = { from: to - DAY_MS, to, stepMs: STEP_MS };
    const tracked = await records.readRecords(keys);
    const visible = tracked.flatMap(record => (record && isVisibleByName(reader, record) ? [record] : []));
    const trends = visible.map(async record => ({
      server: record,
      range,
      steps: await history.steps(record, range),
    }));
    return { range, trends: await Promise.all(trends) };
  };

  return {
    GetTrends: handlers.unary(async (call: Call, account) => trendsMessage(await read(call, account))),
    GetTrendsJson: handlers.unary(async (call: Call, account) =>
      jsonBody(trendsJson(await read(call, account))),
    ),
  };
}
