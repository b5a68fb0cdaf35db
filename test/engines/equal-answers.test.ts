import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Metadata } from '@grpc/grpc-js';
import { internalMetadata } from '../../proto/clients.ts';
import { credentialMetadata } from '../contract/grpc.ts';
import { randomNumbers } from '../system/random-numbers.ts';
import { INTERNAL_SECRET } from '../system/stack-settings.ts';
import { type CallAll, comparePages, compareReads, INVALID, sameTexts } from './compared-reads.ts';
import type { GrpcPort } from './grpc-port.ts';
import { maskTimes, TwoStacks } from './two-stacks.ts';

const SEED = 26;
/**
 * Number of random requests of each kind. The environment variable TEST_REQUESTS can set a higher number for a longer
 * test.
 */
const REQUESTS = Number(process.env.TEST_REQUESTS ?? 150);

describe('one core and a three-core cluster', () => {
  const below = randomNumbers(SEED);
  let stacks: TwoStacks;
  before(async () => {
    stacks = await TwoStacks.start();
    await stacks.settle();
  });
  after(() => stacks?.stop());

  const pick = <T>(choices: readonly T[]): T => choices[below(choices.length)] as T;
  const server = (): string => (below(8) === 0 ? pick(INVALID) : pick(stacks.addresses));
  const game = (): string => pick(['csgo', 'csgo', 'csgo', 'nope', '']);

  /** Returns the body of a random fetch request: groups of tracked and invalid servers, with duplicates. */
  const groups = () =>
    Array.from({ length: 1 + below(3) }, () => ({
      game_id: pick(['csgo', 'csgo', 'csgo', 'nope', '__proto__']),
      servers: Array.from({ length: pick([0, 1, 2, 5, 40]) }, server),
    }));

  const grpcGroups = () => ({
    servers: groups().map(({ game_id: gameId, servers }) => ({ gameId, servers })),
  });

  /** Returns the path of a random REST request that only reads data. */
  function path(): string {
    const one = `/v1/servers/${game()}/${encodeURIComponent(server())}`;
    const sort = pick(['', '&sort=name', '&sort=-name', '&sort=players', '&sort=-players', '&sort=bad']);
    const filter = pick(['', '', '&q=server', '&q=2', '&status=online', '&status=offline', '&players_min=2']);
    return pick([
      one,
      one,
      `${one}/incidents`,
      `${one}/uptime?window=bad`,
      `${one}/history?step=7s`,
      `/v1/servers?game=csgo&page_size=${pick([1, 3, 50, 9999])}${sort}${filter}`,
      `/v1/servers?game=${game()}${sort}${filter}`,
      `/v1/servers?map=DE_DUST2&password=true${sort}`,
      '/v1/servers?page_token=bad',
      '/v1/summary',
      '/v1/get/games',
      `/v1/trends?server=csgo/127.0.0.1:1&server=csgo/127.0.78.99:1`,
      '/v1/trends?server=bad',
      '/v1/nothing',
    ]);
  }

  const same = (answers: readonly [unknown, unknown], what: unknown): void =>
    assert.deepEqual(answers[1], answers[0], JSON.stringify(what));

  /**
   * Returns a function that makes the same gRPC call at each core port. Replaces the times in the answers by fixed
   * texts, because the two services probe their servers at different times.
   */
  const callAll =
    (ports: () => readonly GrpcPort[], metadata?: Metadata): CallAll =>
    async (service, method, request) => {
      const texts = ports().map(port => port.call(service, method, request, metadata));
      return (await Promise.all(texts)).map(maskTimes);
    };

  test('return the same bytes for each fetch over REST', async () => {
    for (let i = 0; i < REQUESTS; i++) {
      const servers = groups();
      const question = {
        method: 'POST',
        path: '/v1/post/fetch',
        headers: { 'Content-Type': 'application/json' },
        body: below(20) === 0 ? '{"servers":[' : JSON.stringify({ servers }),
      };
      same(await stacks.ask(question), question);
    }
  });

  test('return the same bytes for each REST request that only reads data', async () => {
    for (let i = 0; i < REQUESTS; i++) {
      const question = { path: path() };
      same(await stacks.ask(question), question);
    }
  });

  test('return the same pages of servers, with the same page tokens', async () => {
    for (const sort of ['players', '-players', 'name', '-name']) {
      let token = '';
      let pages = 0;
      do {
        const question = { path: `/v1/servers?game=csgo&sort=${sort}&page_size=5&page_token=${token}` };
        const answers = await stacks.ask(question);
        same(answers, question);
        token = encodeURIComponent(JSON.parse(answers[0].text).next_page_token ?? '');
        pages++;
      } while (token !== '');
      assert.equal(pages, Math.ceil(stacks.addresses.length / 5), sort);
    }
  });

  test('return the same data and the same errors for fetches over gRPC', async () => {
    const stranger = credentialMetadata({ token: 'x', tier: 'PRO', email: 'a@b.c' });
    for (let i = 0; i < REQUESTS; i++) {
      const call = callAll(() => stacks.publicPorts, below(10) === 0 ? stranger : undefined);
      const request = grpcGroups();
      for (const method of ['FetchServers', 'FetchServersJson'])
        sameTexts(await call('ServerService', method, request), [method, request]);
    }
  });

  test('return the same data for all gRPC calls that read servers', () => {
    const servers = [...stacks.addresses, ...INVALID].map(address => ({ gameId: 'csgo', address }));
    return compareReads(
      callAll(() => stacks.publicPorts),
      servers,
      5,
    );
  });

  test('return the same answers from ListServers, CheckServers and ListPublicly of AdminService', async () => {
    const call = callAll(() => stacks.internalPorts, internalMetadata(INTERNAL_SECRET));
    // The token ids in the answers of both services differ: each service has its own bootstrap token, and token ids are
    // random.
    const list: CallAll = async (...request) =>
      (await call(...request)).map(text => text.replaceAll(/"tok_[^"]+"/g, '"tok"'));
    const request = { gameId: 'csgo', pageSize: 7 };
    const pages = await comparePages(list, ['AdminService', 'ListServers', 'nextPageToken'], request);
    assert.equal(pages, Math.ceil(stacks.addresses.length / 7));
    for (let i = 0; i < 20; i++) {
      const servers = grpcGroups();
      sameTexts(await call('AdminService', 'CheckServers', servers), servers);
      const listed = { ...servers, isPublic: below(2) === 1 };
      sameTexts(await call('AdminService', 'ListPublicly', listed), listed);
    }
  });
});
