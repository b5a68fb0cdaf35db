import assert from 'node:assert/strict';
import { addressAt, gameAt } from '../bench/tracked-servers.ts';
import { DAY, HOUR } from '../core/store/history/opened-history.ts';
import { comparePages, sameTexts } from './compared-reads.ts';
import type { StoredStacks } from './stored-stacks.ts';
import { SERVERS_WITH_HISTORY } from './written-history.ts';

/** A request for the history of a server between `from` and `to` (Unix ms). */
interface Range {
  from?: number;
  to?: number;
  step: string;
}

/** Returns requests for the history before `at` (Unix ms). Some of these requests are not valid. */
function rangesBefore(at: number): Range[] {
  return [
    { from: at - 5 * HOUR, to: at - HOUR, step: '60s' },
    { from: at - 9 * HOUR, to: at + HOUR, step: '1h' },
    { from: at - 3 * DAY, to: at - HOUR, step: '900s' },
    { from: at - 9 * DAY, to: at, step: '1d' },
    { from: at - 60 * DAY, step: '' },
    { step: '2h' },
    { step: '7s' },
    { from: at, to: at - HOUR, step: '60s' },
    { from: at - 60 * DAY, to: at, step: '60s' },
  ];
}

const timestamp = (ms?: number) =>
  ms === undefined ? null : { seconds: Math.floor(ms / 1_000), nanos: (ms % 1_000) * 1e6 };

function query({ from, to, step }: Range): string {
  const times = Object.entries({ from, to }).flatMap(([name, ms]) =>
    ms === undefined ? [] : `${name}=${new Date(ms).toISOString()}&`,
  );
  return `${times.join('')}step=${step}`;
}

/**
 * Truncates numbers in an answer: `known_share` and `online_share` to three decimals, `players_mean` to one decimal.
 * The removed decimals depend on the exact time of the request, so they can differ between two answers.
 */
function cutNumbers(text: string): string {
  return text
    .replaceAll(/("(?:known|online)_?[sS]hare":\d\.\d{1,3})\d*/g, '$1')
    .replaceAll(/("players_?[mM]ean":\d+\.\d)\d*/g, '$1');
}

/**
 * The servers whose history the test requests. The last two servers of the list have no history: one is tracked, and
 * one is not tracked.
 */
const SERVERS = Array.from({ length: SERVERS_WITH_HISTORY + 1 }, (_, i) => ({
  gameId: gameAt(i),
  server: addressAt(i),
})).concat({ gameId: 'rust', server: '127.0.0.1:30000' });

/** Compares all answers about the history of servers, over REST and over the gRPC ports of all cores. */
export async function compareHistory(stacks: StoredStacks): Promise<void> {
  const compare = async (
    method: string,
    request: object,
    path: string,
    mask?: (text: string) => string,
  ): Promise<string> => {
    for (const form of [method, `${method}Json`])
      sameTexts(await stacks.callAll('HistoryService', form, request, mask), [form, request]);
    return sameTexts(await stacks.getAll(path, mask), path);
  };
  const at = Date.now();
  for (const [i, server] of SERVERS.entries()) {
    const path = `/v1/servers/${server.gameId}/${server.server}`;
    // Requests only a third of the time ranges of the history for each server, so that the test takes less time.
    for (const range of rangesBefore(at).filter((_, n) => n % 3 === i % 3)) {
      const request = { ...server, from: timestamp(range.from), to: timestamp(range.to), step: range.step };
      const mask = (range.to ?? at) < at ? undefined : cutNumbers;
      await compare('GetHistory', request, `${path}/history?${query(range)}`, mask);
    }
    for (const window of ['', '24h,48h,7d', 'bad'])
      await compare('GetUptime', { ...server, window }, `${path}/uptime?window=${window}`, cutNumbers);
    await compare('ListIncidents', { ...server, pageToken: 'bad' }, `${path}/incidents?page_token=bad`);
  }
  const server = SERVERS.map(({ gameId, server: address }) => `${gameId}/${address}`);
  const trends = await compare('GetTrends', { server }, `/v1/trends?server=${server.join('&server=')}`);
  assert.equal(JSON.parse(trends.slice('200 '.length)).trends.length, SERVERS_WITH_HISTORY + 1);
  await compare('GetTrends', { server: ['bad'] }, '/v1/trends?server=bad');
}

/** Requests all pages of the incidents of servers from all cores, over gRPC. Checks that all cores answer the same. */
export async function compareIncidents({ callAll }: StoredStacks): Promise<void> {
  for (const server of SERVERS.slice(0, SERVERS_WITH_HISTORY)) {
    const request = { ...server, pageSize: 2 };
    const pages = await comparePages(callAll, ['HistoryService', 'ListIncidents', 'nextPageToken'], request);
    assert.equal(pages, 2);
    await comparePages(callAll, ['HistoryService', 'ListIncidentsJson', 'next_page_token'], request);
  }
}
