import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { fallbackMessages } from '../../core/render/fallback-message.ts';
import { checkAddress, unknownGame } from '../../core/servers/pair-check.ts';
import { encodeRecord } from '../../core/servers/record-codec.ts';
import {
  labels,
  noHistory,
  reasons,
  type ServerRecord,
  serverKey,
  statuses,
} from '../../core/servers/server-record.ts';
import { LevelDbStore } from '../../core/store/leveldb/leveldb-store.ts';
import { TargetPolicy } from '../../net/targets.ts';
import type { ServerPayload__Output } from '../../proto/generated/gsq/v1/ServerPayload.ts';
import { payloadFields, reported } from '../core/payload-of.ts';
import { randomNumbers } from '../system/random-numbers.ts';
import { scratchDirectory } from '../system/scratch-directory.ts';
import { FetchConversation, fetchServers } from './grpc.ts';
import { Clock, type InProcess, startOn } from './in-process.ts';
import { type Group, post, postFetch } from './rest.ts';

/*
 * Checks the fast path of fetches, which joins encoded bytes of the servers and builds no JavaScript object for a
 * server. This file contains a plain implementation, which turns records into objects and objects into JSON. The tests
 * compare the answers of both implementations.
 */

const below = randomNumbers(20);
const pick = <T>(choices: readonly T[]): T => choices[below(choices.length)] as T;
const MINUTE = 60_000;
const clock = new Clock();
const policy = new TargetPolicy(['127.0.0.0/8']);

/** Record and payload of a tracked server. The plain implementation computes the expected answer from them. */
interface Known {
  record: ServerRecord;
  payload: ServerPayload__Output | undefined;
}

/** An address in a form that a caller can write, with the canonical form of the address. */
interface Written {
  text: string;
  canonical: string;
}

const games = new Map([
  ['csgo', 'csgo'],
  ['rust', 'rust'],
  ['aaa', 'aaa'],
  ['arma', 'aaa'],
]);
const tracked = new Map<string, Known>();

const texts = [
  '',
  'plain',
  'a "quoted" \\ name',
  'ünï ☃ 😀',
  '"}},"_meta":{',
  '\u0000\u001f\u2028',
  'x'.repeat(256),
];

function randomPayload(address: string): ServerPayload__Output {
  const playerList = Array.from({ length: pick([0, 0, 1, 5, 60]) }, () => ({
    name: pick(texts),
    score: pick([0, 7, -1, 2 ** 31 - 1, -(2 ** 31)]),
    time: pick([0, 61, 2 ** 32 - 1]),
  }));
  return payloadFields({
    name: pick(texts),
    map: pick(texts),
    players: playerList.length,
    maxplayers: pick([0, 64, 4_294_967_295]),
    numbots: below(3),
    password: below(2) === 1,
    version: pick(texts),
    ping: below(300),
    connect: pick([address, 'elsewhere.example:1']),
    playerList,
  });
}

function randomServer(gameId: string, address: string): Known {
  const status = pick(statuses);
  const lastOnlineAt =
    status === 'pending' || below(4) === 0 ? 0 : clock.ms - pick([0, 1, 600_000, 600_001, 9e7]);
  const answered = lastOnlineAt !== 0;
  const payload = answered ? randomPayload(address) : undefined;
  const lastProbeAt = status === 'pending' ? pick([0, clock.ms - 5]) : clock.ms - below(MINUTE);
  return {
    payload,
    record: {
      key: serverKey(gameId, address),
      gameId,
      address,
      insertedAt: clock.ms - 1e8,
      insertedBy: pick(['admin', 'tok_0123456789ab']),
      status,
      label: pick(labels),
      intervalMs: pick([500, MINUTE, 5 * MINUTE, 60 * MINUTE]),
      lastProbeAt,
      lastOnlineAt,
      nextProbeAt: clock.ms + below(500),
      reason: lastProbeAt === 0 ? 'unprobed' : pick(reasons),
      history: noHistory,
      queryPort: below(65_536),
      version: 1 + below(1000),
      data: payload ? reported(payload).data() : Buffer.alloc(0),
    },
  };
}

const written: Written[] = [];

function track(address: string, ...otherForms: string[]): void {
  for (const text of [address, ...otherForms]) written.push({ text, canonical: address });
  for (const gameId of below(3) === 0 ? ['csgo', 'rust', 'aaa'] : [pick(['csgo', 'rust', 'aaa'])]) {
    const known = randomServer(gameId, address);
    tracked.set(known.record.key, known);
  }
}

for (let i = 1; i <= 300; i++) track(`127.0.${i >> 8}.${i & 255}:27015`);
for (let i = 0; i < 20; i++) track(`play${i}.example.com:2${i + 1000}`, `PLAY${i}.Example.com.:2${i + 1000}`);
track('127.9.9.9:27015', '127.9.9.9:027015', '[::ffff:127.9.9.9]:27015', '[::FFFF:7f09:0909]:27015');
track('xn--bcher-kva.example:27015', 'bücher.example:27015');
const invalid = [
  '10.0.0.1:27015',
  '127.0.0.1:22',
  'nonsense',
  '_meta',
  '__proto__',
  'constructor',
  '',
  'a"b\\c:1',
  'ü:x',
  '127.1:27015',
  'x'.repeat(300),
];

/* The plain implementation. It builds objects with their keys in the order that the contract defines. */

const iso = (ms: number): string | null => (ms === 0 ? null : new Date(ms).toISOString());

const fallback = ({ reason }: ServerRecord): string => fallbackMessages[reason];

const notAskable = [
  'unresolvable_host',
  'blocked_address',
  'needs_credentials',
  'needs_option',
  'directory_unavailable',
  'directory_refused',
  'paced',
  'prober_unavailable',
];

/** True if the last probe could not query the server, for example because the host name did not resolve. */
function isUnknown({ lastProbeAt, lastOnlineAt, reason }: ServerRecord): boolean {
  return lastProbeAt > lastOnlineAt && notAskable.includes(reason);
}

/** Returns the status and the reason that an answer must contain. The reason of an online server is empty. */
function verdictOn(record: ServerRecord): { status: string; reason: string } {
  const { status, reason } = record;
  const unknown = isUnknown(record);
  if (status === 'offline' && unknown) return { status: 'pending', reason };
  if (status !== 'online') return { status, reason };
  if (!staleOf(record)) return { status, reason: '' };
  return { status: 'pending', reason: unknown ? reason : 'prober_unavailable' };
}

function staleOf(record: ServerRecord) {
  if (record.lastOnlineAt === 0) return undefined;
  const inDoubt = record.lastProbeAt > record.lastOnlineAt;
  const threshold = Math.max(600_000, 3 * (record.status === 'online' ? record.intervalMs : MINUTE));
  const age = clock.ms - record.lastOnlineAt;
  if (age <= threshold) return undefined;
  return {
    reason:
      record.status === 'offline' && !isUnknown(record)
        ? 'offline'
        : inDoubt
          ? 'unknowable'
          : 'probe_delayed',
    age_seconds: Math.floor(age / 1000),
    threshold_seconds: threshold / 1000,
    last_success_at: iso(record.lastOnlineAt),
  };
}

function restServer({ record, payload }: Known) {
  const { status, reason } = verdictOn(record);
  const _updater = {
    status,
    firewall_interval_minutes: Math.max(1, Math.ceil(record.intervalMs / MINUTE)),
    firewall_label: record.label,
    next_probe_at: iso(record.nextProbeAt),
    last_probe_at: iso(record.lastProbeAt),
    last_online_at: iso(record.lastOnlineAt),
    ...(reason && { reason }),
  };
  if (!payload) return { message: fallback(record), _updater };
  const _stale = staleOf(record);
  return {
    name: payload.name,
    map: payload.map,
    players: payload.players,
    maxplayers: payload.maxplayers,
    numplayers: payload.players,
    numbots: payload.numbots,
    password: payload.password,
    version: payload.version,
    ping: payload.ping,
    connect: payload.connect,
    updated: new Date(record.lastOnlineAt).toISOString().slice(0, 19).replace('T', ' '),
    raw: { numbots: payload.numbots, players: payload.playerList },
    _updater,
    ...(_stale && { _stale }),
  };
}

const invalidServer = (message: string) => ({
  message,
  _updater: {
    status: 'invalid',
    firewall_interval_minutes: 0,
    firewall_label: 'none',
    next_probe_at: null,
    last_probe_at: null,
    last_online_at: null,
  },
});

interface Pair {
  game_id: string;
  server: string;
  known?: Known;
  invalid?: { reason: string; message: string };
  inserted: boolean;
}

/** Checks each distinct pair of game and address. Adds a valid pair to `tracked` if it is not tracked yet. */
function pairsOf(groups: readonly Group[]): Pair[] {
  const pairs: Pair[] = [];
  for (const { game_id, servers } of groups) {
    for (const server of servers) {
      if (pairs.some(pair => pair.game_id === game_id && pair.server === server)) continue;
      const pair: Pair = { game_id, server, inserted: false };
      pairs.push(pair);
      const gameId = games.get(game_id);
      const address = checkAddress(server, policy);
      if (gameId === undefined) pair.invalid = unknownGame;
      else if ('reason' in address) pair.invalid = address;
      else {
        const key = serverKey(gameId, address.canonical);
        pair.inserted = !tracked.has(key);
        if (pair.inserted) tracked.set(key, pendingServer(gameId, address.canonical));
        pair.known = tracked.get(key) as Known;
      }
    }
  }
  return pairs;
}

function pendingServer(gameId: string, address: string): Known {
  const { record } = randomServer(gameId, address);
  return {
    payload: undefined,
    record: {
      ...record,
      status: 'pending',
      reason: 'unprobed',
      label: 'none',
      intervalMs: MINUTE,
      lastProbeAt: 0,
      lastOnlineAt: 0,
      nextProbeAt: clock.ms,
      data: Buffer.alloc(0),
    },
  };
}

const rank = ({ known }: Pair): number => (known ? (verdictOn(known.record).status === 'online' ? 2 : 1) : 0);
const ref = ({ game_id, server }: Pair) => ({ game_id, server });

function restText(pairs: readonly Pair[]): string {
  const shown = new Map<string, Pair>();
  for (const pair of pairs) {
    const other = shown.get(pair.server);
    if (pair.server !== '_meta' && (!other || rank(pair) > rank(other))) shown.set(pair.server, pair);
  }
  const duplicates = pairs.filter(pair => {
    const key = shown.get(pair.server)?.known?.record.key;
    return pair.known && key !== undefined && pair.known.record.key !== key;
  });
  const meta = {
    auto_inserted: pairs.filter(pair => pair.inserted).length,
    inserted_servers: pairs.filter(pair => pair.inserted).map(ref),
    invalid_servers: pairs.flatMap(pair => (pair.invalid ? [{ ...ref(pair), ...pair.invalid }] : [])),
    ...(duplicates.length > 0 && { duplicate_servers: duplicates.map(ref) }),
  };
  const members = [...shown].map(([server, { known, invalid }]) => {
    const payload = known ? restServer(known) : invalidServer(invalid?.message ?? '');
    return `${JSON.stringify(server)}:${JSON.stringify(payload)}`;
  });
  return `{${[...members, `"_meta":${JSON.stringify(meta)}`].join()}}`;
}

const stamp = (ms: number) =>
  ms === 0 ? null : { seconds: Math.floor(ms / 1000), nanos: (ms % 1000) * 1_000_000 };

/** Extra members that proto-loader adds to a message: for each optional field that is set, `_field: 'field'`. */
const optional = { _players: 'players', _maxplayers: 'maxplayers' };

function typed(pairs: readonly Pair[]) {
  const results = pairs.map(({ game_id, server, known, invalid }) => {
    const names = { gameId: game_id, server };
    if (!known) {
      const updater = {
        status: 'SERVER_STATUS_INVALID',
        firewallIntervalMinutes: 0,
        firewallLabel: 'FIREWALL_LABEL_NONE',
        nextProbeAt: null,
        lastProbeAt: null,
        lastOnlineAt: null,
        reason: '',
      };
      return { ...names, updater, payload: null, stale: null, message: invalid?.message };
    }
    const { record, payload } = known;
    const stale = payload && staleOf(record);
    return {
      ...names,
      updater: {
        status: `SERVER_STATUS_${verdictOn(record).status.toUpperCase()}`,
        firewallIntervalMinutes: Math.max(1, Math.ceil(record.intervalMs / MINUTE)),
        firewallLabel: `FIREWALL_LABEL_${record.label.toUpperCase()}`,
        nextProbeAt: stamp(record.nextProbeAt),
        lastProbeAt: stamp(record.lastProbeAt),
        lastOnlineAt: stamp(record.lastOnlineAt),
        reason: verdictOn(record).reason,
      },
      payload: payload ? { ...payload, ...optional, updated: stamp(record.lastOnlineAt) } : null,
      stale: stale
        ? {
            reason: stale.reason,
            ageSeconds: stale.age_seconds,
            thresholdSeconds: stale.threshold_seconds,
            lastSuccessAt: stamp(record.lastOnlineAt),
          }
        : null,
      message: payload ? '' : fallback(record),
    };
  });
  const refs = (chosen: readonly Pair[]) =>
    chosen.map(({ game_id, server }) => ({ gameId: game_id, server }));
  return {
    results,
    meta: {
      autoInserted: pairs.filter(pair => pair.inserted).length,
      insertedServers: refs(pairs.filter(pair => pair.inserted)),
      invalidServers: pairs.flatMap(({ game_id, server, invalid }) =>
        invalid ? [{ gameId: game_id, server, ...invalid }] : [],
      ),
    },
  };
}

/** Fails if two answers differ, and shows only the text around the first difference. */
function assertSame(actual: string, expected: string): void {
  if (actual === expected) return;
  let at = 0;
  while (actual[at] === expected[at]) at++;
  const around = (text: string) => text.slice(Math.max(0, at - 200), at + 100);
  assert.equal(around(actual), around(expected), `they differ at ${at}`);
}

let lastNew = 0;

function randomAddress(): string {
  const choice = below(100);
  if (choice < 80) return pick(written).text;
  if (choice < 95) return pick(invalid);
  lastNew++;
  return `127.200.${lastNew >> 8}.${lastNew & 255}:27015`;
}

/**
 * Returns random groups for a fetch. Half of the calls return tracked servers only. The others can also contain invalid
 * addresses, new servers and unknown games.
 */
function randomGroups(): Group[] {
  const size = pick([0, 1, 1, 1, 2, 3, 5, 10, 40]);
  if (below(2) === 0) {
    const game_id = pick(['csgo', 'rust', 'aaa', 'arma']);
    const keys = [...tracked.values()].filter(({ record }) => record.gameId === games.get(game_id));
    const servers = Array.from({ length: size }, () => pick(keys).record.address);
    return [{ game_id, servers: [...new Set(servers)] }];
  }
  return Array.from({ length: 1 + below(3) }, () => ({
    game_id: pick(['csgo', 'rust', 'aaa', 'arma', 'nope', '__proto__', '']),
    servers: Array.from({ length: size }, randomAddress).filter(text => isTrackableNow(text)),
  }));
}

/**
 * False for a host name that is not tracked for all games. The core would resolve such a name at the insert, and this
 * test has no name server.
 */
function isTrackableNow(text: string): boolean {
  return !/example/i.test(text) || [...games.values()].every(id => isTracked(id, text));
}

function isTracked(gameId: string, text: string): boolean {
  const canonical = written.find(each => each.text === text)?.canonical ?? '';
  return tracked.has(serverKey(gameId, canonical));
}

describe('the fast path of fetches gives the same answers as a plain implementation', () => {
  let service: InProcess;
  before(async () => {
    const directory = scratchDirectory();
    const level = await LevelDbStore.open(join(directory, 'leveldb'), error => assert.fail(error));
    await level.commit(
      [...tracked.values()].map(({ record }) => ({
        type: 'put',
        key: `s/${record.key}`,
        value: encodeRecord(record),
      })),
    );
    await level.close();
    service = await startOn(directory, { GSQ_PROBE_INTERVAL: '1m' }, clock.now);
  });
  after(() => service.stop());

  test('over REST, with and without gzip, for first and repeated requests', async () => {
    for (let round = 0; round < 100; round++) {
      const groups = randomGroups();
      const first = await postFetch(service.http, groups);
      assertSame(first.text, restText(pairsOf(groups)));
      const again = restText(pairsOf(groups));
      for (const encoding of ['gzip', 'gzip', 'identity']) {
        const answer = await postFetch(service.http, groups, { 'Accept-Encoding': encoding });
        assertSame(answer.text, again);
      }
    }
  });

  test('over REST, for a request with a thousand servers', async () => {
    const servers = Array.from({ length: 1000 }, randomAddress).filter(text => isTrackableNow(text));
    const groups = [{ game_id: 'csgo', servers }];
    const answer = await post(service.http, { body: JSON.stringify({ servers: groups }) });
    assertSame(answer.text, restText(pairsOf(groups)));
  });

  test('over FetchStream, without gzip', async () => {
    const conversation = new FetchConversation(service.grpc);
    for (let round = 1; round <= 100; round++) {
      const groups = randomGroups();
      const expected = restText(pairsOf(groups));
      const servers = groups.map(group => ({ gameId: group.game_id, servers: group.servers }));
      conversation.send({ id: round, fetch: { servers } });
      const { fetched } = await conversation.next();
      assert.equal(fetched?.gzipped, false);
      assertSame(String(fetched?.body), expected);
    }
    await conversation.end();
  });

  test('over FetchStream, with gzip', async () => {
    const conversation = new FetchConversation(service.grpc);
    let joined = 0;
    for (let round = 1; round <= 100; round++) {
      const groups = randomGroups();
      assertSame((await postFetch(service.http, groups)).text, restText(pairsOf(groups)));
      const expected = restText(pairsOf(groups));
      const servers = groups.map(group => ({ gameId: group.game_id, servers: group.servers }));
      for (let time = 0; time < 2; time++) {
        conversation.send({ id: round, fetch: { servers }, acceptGzip: true });
        const { fetched } = await conversation.next();
        assert.ok(fetched);
        if (fetched.gzipped) joined++;
        assertSame(String(fetched.gzipped ? gunzipSync(fetched.body) : fetched.body), expected);
      }
    }
    await conversation.end();
    assert.ok(joined > 50, `${joined} came compressed`);
  });

  test('over FetchServers', async () => {
    for (let round = 0; round < 100; round++) {
      const groups = randomGroups();
      const expected = typed(pairsOf(groups));
      const servers = groups.map(group => ({ gameId: group.game_id, servers: group.servers }));
      const answer = await fetchServers(service.grpc, { servers });
      const { results, meta } = JSON.parse(JSON.stringify(answer));
      assert.deepEqual(meta, expected.meta);
      assert.equal(results.length, expected.results.length);
      for (const [i, result] of expected.results.entries()) assert.deepEqual(results[i], result);
    }
  });
});
