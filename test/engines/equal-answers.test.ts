import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { ServiceError } from '@grpc/grpc-js';
import { clients, internalMetadata } from '../../proto/clients.ts';
import { credentialMetadata, deadline, fetchJson, fetchServers } from '../contract/grpc.ts';
import { unary } from '../core/rpc/answer.ts';
import { randomNumbers } from '../system/random-numbers.ts';
import type { Stack } from '../system/stack.ts';
import { INTERNAL_SECRET } from '../system/stack-settings.ts';
import { maskTimes, TwoStacks } from './two-stacks.ts';

const SEED = 26;
/** Number of random requests of each kind. For the long form of this test, TEST_REQUESTS can name another one. */
const REQUESTS = Number(process.env.TEST_REQUESTS ?? 150);
const INVALID = ['10.0.0.1:27015', '127.0.0.1:22', 'nonsense', '_meta', '__proto__', '', 'a"b\\c:1', 'ü:x'];

describe('a service of three cores and a service of one core that track the same servers', () => {
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

  /** Returns the groups of a random fetch of tracked and invalid servers, with duplicates. */
  const groups = () =>
    Array.from({ length: 1 + below(3) }, () => ({
      game_id: pick(['csgo', 'csgo', 'csgo', 'nope', '__proto__']),
      servers: Array.from({ length: pick([0, 1, 2, 5, 40]) }, server),
    }));

  /** Returns the path of a random request that reads. */
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

  /** Makes the same gRPC call to both stacks. Returns the responses or errors as texts. */
  const call = (make: (stack: Stack) => Promise<unknown>): Promise<[string, string]> => {
    const text = async (stack: Stack): Promise<string> => {
      const made = await make(stack).catch(
        ({ code, details, metadata }: ServiceError) =>
          `${code} ${details} ${metadata.get('grpc-status-details-bin')}`,
      );
      return maskTimes(made instanceof Buffer ? made.toString() : JSON.stringify(made));
    };
    return Promise.all([text(stacks.embedded), text(stacks.cluster)]);
  };

  test('answer each fetch over REST with the same bytes', async () => {
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

  test('answer each REST request that reads with the same bytes', async () => {
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

  test('answer fetches over gRPC with the same data and the same errors', async () => {
    for (let i = 0; i < REQUESTS; i++) {
      const request = { servers: groups().map(({ game_id: gameId, servers }) => ({ gameId, servers })) };
      const metadata =
        below(10) === 0 ? credentialMetadata({ token: 'x', tier: 'PRO', email: 'a@b.c' }) : undefined;
      same(await call(({ grpc }) => fetchServers(grpc, request, metadata)), request);
      same(await call(async ({ grpc }) => (await fetchJson(grpc, request, metadata)).data), request);
    }
  });

  test('answer the calls of AdminService about servers with the same data', async () => {
    const secret = internalMetadata(INTERNAL_SECRET);
    const admin = (make: (client: ReturnType<typeof clients.admin>) => Promise<unknown>) =>
      call(async ({ internal }) => {
        const client = clients.admin(internal);
        return make(client).finally(() => client.close());
      });
    let pageToken = '';
    do {
      const request = { gameId: 'csgo', pageSize: 7, pageToken };
      const answers = await admin(client =>
        unary(done => client.listServers(request, secret, deadline(), done)),
      );
      // Each stack has its own bootstrap token, and tokens have random ids.
      const masked = answers.map(text => text.replaceAll(/"tok_[^"]+"/g, '"tok"'));
      assert.equal(masked[1], masked[0]);
      pageToken = JSON.parse(answers[0]).nextPageToken;
    } while (pageToken !== '');
    for (let i = 0; i < 20; i++) {
      const servers = { servers: groups().map(({ game_id: gameId, servers }) => ({ gameId, servers })) };
      same(
        await admin(client => unary(done => client.checkServers(servers, secret, deadline(), done))),
        servers,
      );
      same(
        await admin(client =>
          unary(done =>
            client.listPublicly({ ...servers, isPublic: below(2) === 1 }, secret, deadline(), done),
          ),
        ),
        servers,
      );
    }
  });
});
