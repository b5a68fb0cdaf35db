import assert from 'node:assert/strict';
import type { ServerRef } from '../../core/servers/cluster-servers.ts';
import type { ServiceName } from './grpc-port.ts';

/** Addresses that gsq does not track: malformed, blocked, or without a server. */
export const INVALID = [
  '10.0.0.1:27015',
  '127.0.0.1:22',
  'nonsense',
  '_meta',
  '__proto__',
  '',
  'a"b\\c:1',
  'ü:x',
];

/**
 * Makes the same gRPC call to all cores of two services: one with a single core, and one with several cores. Returns
 * the responses as texts, first the response of the single core.
 */
export type CallAll = (service: ServiceName, method: string, request: object) => Promise<string[]>;

/**
 * Fails if not all answers are equal. `what`: the request, for the error message. Returns the answer that all have in
 * common.
 */
export function sameTexts(answers: readonly string[], what: unknown): string {
  const [first = ''] = answers;
  for (const answer of answers.slice(1)) assert.equal(answer, first, JSON.stringify(what));
  return first;
}

/**
 * Reads all pages of a list from all cores of two services. Fails if the cores differ. Returns the number of pages.
 * `tokenKey`: field of an answer that contains the token of the next page.
 */
export async function comparePages(
  callAll: CallAll,
  [service, method, tokenKey]: [ServiceName, method: string, tokenKey: string],
  request: object,
): Promise<number> {
  for (let pageToken = '', pages = 1; ; pages++) {
    const page = { ...request, pageToken };
    const answer = sameTexts(await callAll(service, method, page), [method, page]);
    pageToken = JSON.parse(answer)[tokenKey];
    if (pageToken === '') return pages;
  }
}

const LISTS = [
  { game: 'nope' },
  { pageToken: 'bad' },
  { sort: 'bad', status: 'bad' },
  { pageSize: 9_999 },
  { q: '!' },
  { q: 'server 2' },
  { q: 'ma', sort: 'name' },
  { status: 'offline' },
  { status: 'pending' },
  { status: 'online', playersMin: 2, sort: '-players' },
  { map: 'DE_DUST2', password: false },
  { password: true },
  { version: '1.1.1' },
];

/**
 * Calls the gRPC methods that read servers, and their JSON variants, at all cores of two services. Fails if the answers
 * differ. `servers`: tracked and untracked servers. `pageSize`: servers per page.
 */
export async function compareReads(
  callAll: CallAll,
  servers: readonly ServerRef[],
  pageSize: number,
): Promise<void> {
  const compare = async (method: string, request: object): Promise<void> => {
    for (const form of [method, `${method}Json`])
      sameTexts(await callAll('ServerService', form, request), [form, request]);
  };
  for (const { gameId, address } of servers) await compare('GetServer', { gameId, server: address });
  for (const request of LISTS) await compare('ListServers', request);
  for (const game of ['', 'csgo', 'nope']) await compare('GetSummary', { game });
  for (const sort of ['players', '-players', 'name', '-name']) {
    const request = { sort, pageSize };
    const pages = await comparePages(callAll, ['ServerService', 'ListServers', 'nextPageToken'], request);
    assert.ok(pages > 2, `${pages} pages`);
    await comparePages(callAll, ['ServerService', 'ListServersJson', 'next_page_token'], request);
  }
}
