import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { internalMetadata } from '../../proto/clients.ts';
import { addressAt, gameAt, games } from '../bench/tracked-servers.ts';
import { credentialHeaders, type Group, postFetch } from '../contract/rest.ts';
import { createToken } from '../contract/tokens.ts';
import { randomNumbers } from '../system/random-numbers.ts';
import { INTERNAL_SECRET } from '../system/stack-settings.ts';
import { until } from '../system/until.ts';
import { compareHistory, compareIncidents } from './compared-history.ts';
import { type CallAll, comparePages, compareReads, INVALID, sameTexts } from './compared-reads.ts';
import { type StoredService, StoredStacks } from './stored-stacks.ts';

const SEED = 41;
const SERVERS = 200;
/** Number of random fetches that insert servers. TEST_REQUESTS can set a higher number for a longer test. */
const FETCHES = Number(process.env.TEST_REQUESTS ?? 100);
/**
 * Maximum number of servers that one token can insert in a day. The random fetches must not reach this limit: each core
 * of a cluster counts only the inserts of its own calls, so a cluster can allow more inserts than a single core.
 */
const MAX_INSERTS = 3_000;
/**
 * Number of new servers in each fetch of the test for the daily limit. Four such fetches use up a token's daily limit
 * of inserts.
 */
const MANY = MAX_INSERTS / 4;

/**
 * Masks the next probe time of each server in an answer. The two services insert a server at slightly different
 * moments, so these times differ.
 */
function maskNextProbe(text: string): string {
  return text.replaceAll(/"(next_probe_at|nextProbeAt)":(?:"[^"]+"|\{[^}]+\})/g, '"$1":"TIME"');
}

function inTurn<T>(all: readonly T[], at: number): T {
  return all[at % all.length] as T;
}

const secret = internalMetadata(INTERNAL_SECRET);
const grpcGroups = (groups: readonly Group[]) =>
  groups.map(({ game_id: gameId, servers }) => ({ gameId, servers }));

/** Sends a fetch to one of the gateways of a service. */
async function post(
  { gateways }: StoredService,
  at: number,
  groups: Group[],
  headers?: Record<string, string>,
): Promise<string> {
  const { status, text } = await postFetch(inTurn(gateways, at), groups, headers);
  return `${status} ${text}`;
}

/**
 * Functions that send a request to fetch, check or insert servers, keyed by the name of the method. `at`: a number
 * that selects the gateway or core that gets the request.
 */
const ways = {
  REST: post,
  FetchServers: (service: StoredService, at: number, groups: Group[]) =>
    inTurn(service.public, at).call('ServerService', 'FetchServers', { servers: grpcGroups(groups) }),
  FetchServersJson: (service: StoredService, at: number, groups: Group[]) =>
    inTurn(service.public, at).call('ServerService', 'FetchServersJson', { servers: grpcGroups(groups) }),
  CheckServers: (service: StoredService, at: number, groups: Group[]) =>
    inTurn(service.internal, at).call(
      'AdminService',
      'CheckServers',
      { servers: grpcGroups(groups) },
      secret,
    ),
  AddServers: (service: StoredService, at: number, groups: Group[]) =>
    inTurn(service.internal, at).call('AdminService', 'AddServers', { servers: grpcGroups(groups) }, secret),
};

describe('one core and a three-core cluster with the same servers', () => {
  const below = randomNumbers(SEED);
  const pick = <T>(choices: readonly T[]): T => choices[below(choices.length)] as T;
  let stacks: StoredStacks;
  before(async () => {
    stacks = await StoredStacks.start(SERVERS, { GSQ_PAGE: 'on', GSQ_INSERTS_PER_DAY: String(MAX_INSERTS) });
  });
  after(() => stacks?.stop());

  /**
   * Sends the same request to the service with one core and to the cluster. Returns their two answers in this order.
   */
  const both = async (ask: (service: StoredService) => Promise<string>): Promise<string[]> =>
    (await Promise.all([stacks.embedded, stacks.cluster].map(ask))).map(maskNextProbe);

  const newServer = (): string => `127.20.${below(3)}.${below(4)}:${27_000 + below(12)}`;
  /**
   * Returns a random address: the address of a new server, the address of a server that exists already, or an invalid
   * address.
   */
  const address = (): string =>
    pick([
      newServer,
      newServer,
      () => newServer().replace(':27', ':0027'),
      () => `[::ffff:${newServer().replace(':', ']:')}`,
      () => addressAt(below(SERVERS)),
      () => pick(INVALID),
    ])();
  const groups = (): Group[] =>
    Array.from({ length: 1 + below(3) }, () => ({
      game_id: pick([...games, 'rust', 'rust', 'nope', '__proto__']),
      servers: Array.from({ length: pick([0, 1, 2, 5, 20]) }, address),
    }));

  test('return the same data for all gRPC calls that read servers', async () => {
    const tracked = Array.from({ length: 20 }, (_, i) => ({ gameId: gameAt(i), address: addressAt(i) }));
    const others = [...INVALID, addressAt(SERVERS)].map(address => ({ gameId: 'rust', address }));
    await compareReads(stacks.callAll, [...tracked, ...others], 30);
  });

  test('return the same data for all gRPC calls that read the history of servers', () =>
    compareHistory(stacks));

  test('return the same pages of incidents', () => compareIncidents(stacks));

  test('insert the same servers if they get the same fetches in the same order', async () => {
    let inserted = 0;
    for (let i = 0; i < FETCHES; i++) {
      const [way, at, servers] = [pick(Object.keys(ways) as (keyof typeof ways)[]), below(6), groups()];
      const answer = sameTexts(await both(service => ways[way](service, at, servers)), [way, servers]);
      if (way === 'REST') inserted += JSON.parse(answer.slice('200 '.length))._meta.auto_inserted;
    }
    assert.ok(inserted > 50, `${inserted} inserts over REST`);
  });

  test('list the same servers after random fetches have inserted new servers', async () => {
    const listAll: CallAll = async (service, method, request) => {
      const ports = [...stacks.embedded.internal, ...stacks.cluster.internal];
      const texts = await Promise.all(ports.map(port => port.call(service, method, request, secret)));
      // Replaces the token ids in the answers before the comparison. Token ids are random, and each of the two compared
      // services has its own bootstrap token.
      return texts.map(text => maskNextProbe(text).replaceAll(/"tok_[^"]+"/g, '"tok"'));
    };
    const pages = await comparePages(listAll, ['AdminService', 'ListServers', 'nextPageToken'], {
      pageSize: 100,
    });
    assert.ok(pages > SERVERS / 100, `${pages} pages`);
  });

  // In this test, either all new servers of a fetch are within the daily limit, or none of them. Otherwise the fetch
  // would insert only some of its servers, and a cluster could choose different servers than a single core.
  test('refuse the same inserts when a token has reached its daily limit', async () => {
    const services = [stacks.embedded, stacks.cluster];
    const tokens = await Promise.all(
      services.map(({ internal: [port] }) => createToken(port?.address ?? '', { tier: 'PRO' })),
    );
    const fetch = (at: number, servers: Group[]) =>
      both(service =>
        post(service, at, servers, credentialHeaders(tokens[services.indexOf(service)] ?? assert.fail())),
      );
    await until(
      'gateways that know the token',
      async () => [...(await fetch(0, [])), ...(await fetch(1, []))],
      answers => answers.every(answer => answer.startsWith('200 ')),
    );
    for (let i = 0; i < MAX_INSERTS / MANY; i++) {
      const servers = Array.from({ length: MANY }, (_, n) => `127.21.${i}.${n % 200}:${27_000 + n}`);
      sameTexts(await fetch(i, [{ game_id: 'rust', servers }]), i);
    }
    for (let i = 0; i < 10; i++) {
      const fresh = {
        game_id: 'dayz',
        servers: Array.from({ length: 5 }, (_, n) => `127.22.${i}.${n}:27015`),
      };
      const answer = sameTexts(await fetch(i, [...groups(), fresh]), i);
      assert.match(answer, /"auto_inserted":0,.*"insert_quota"/);
    }
  });
});
