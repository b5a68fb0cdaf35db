/**
 * Tests that two servers become offline with the right reason. The first server shares its address with 49 others and
 * is stopped, so its reason must be `refused`. The second server shares its address with one other and stops answering,
 * so its reason must be `no_reply`.
 */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { fetchServers, resultFor } from '../contract/grpc.ts';
import { fetchOne, postFetch, serverIn } from '../contract/rest.ts';
import { Fleet } from '../fleet/fleet.ts';
import { fleetServer } from '../fleet/fleet-server.ts';
import type { FleetMember } from '../fleet/station.ts';
import { A2sServer } from './a2s-server.ts';
import { randomNumbers } from './random-numbers.ts';
import { Stack } from './stack.ts';
import { StatusHistory } from './status-history.ts';
import { until } from './until.ts';

const SHARING = 50;
const GAME = 'csgo';
/** Index of the server that the test stops. It is one of fifty servers at the same address. */
const ENDING = 17;
/** IP address that two game servers of the test share. The first of the two stops answering during the test. */
const PAIR = '127.61.0.1';
/** Number of IP addresses in this test that have only one game server. */
const LONE = 6;
const ONLINE_MS = 60_000;
/** Longest time until gsq shows an unreachable server as offline, in milliseconds. */
const VERDICT_MS = 600_000;

const random = randomNumbers(31);
const member = (address: string): FleetMember => ({
  protocol: 'a2s',
  address,
  server: fleetServer(random, 0),
});
const members = [PAIR, PAIR, ...Array.from({ length: LONE }, (_, i) => `127.62.${i}.1`)].map(member);

let sharing: A2sServer[];
let fleet: Fleet;
let stack: Stack;
let history: StatusHistory;
let all: string[];

before(async () => {
  sharing = await Promise.all(
    Array.from({ length: SHARING }, (_, i) => A2sServer.start({ name: `Server ${i}` })),
  );
  fleet = await Fleet.open(members);
  all = [
    ...sharing.map(({ address }) => address),
    ...members.map(({ address, server }) => `${address}:${server.port}`),
  ];
  stack = await Stack.start({ env: { GSQ_PROBE_INTERVAL: '5s' } });
  await postFetch(stack.http, [{ game_id: GAME, servers: all }]);
  history = new StatusHistory(stack.grpc, GAME, all);
});

after(async () => {
  history?.stop();
  await stack?.stop();
  await fleet?.close();
  for (const [i, server] of (sharing ?? []).entries()) if (i !== ENDING) server.stop();
});

test('REST and gRPC report a closed server as offline (refused), and a server that stops answering as offline (no_reply)', async () => {
  await until(
    'all online, and asked again',
    () =>
      all.filter(
        server => history.of(server).length < 4 || history.newest(server)?.status !== 'SERVER_STATUS_ONLINE',
      ),
    missing => missing.length === 0,
    ONLINE_MS,
  );
  const ending = sharing[ENDING];
  const ended = all[ENDING];
  const silent = all[SHARING];
  assert.ok(ending && ended !== undefined && silent !== undefined);
  ending.stop();
  fleet.behave(0, { silent: true });

  for (const [server, reason, name] of [
    [ended, 'refused', ending.name],
    [silent, 'no_reply', members[0]?.server.name],
  ] as const) {
    const told = await until(
      `a watcher is told that ${server} is offline`,
      () => history.newest(server),
      sight => sight?.status === 'SERVER_STATUS_OFFLINE',
      VERDICT_MS,
    );
    assert.deepEqual([told?.reason, told?.name], [reason, name]);
    const rest = (await fetchOne(stack.http, GAME, server))._updater;
    assert.deepEqual([rest.status, rest.reason], ['offline', reason]);
    const answer = await fetchServers(stack.grpc, { servers: [{ gameId: GAME, servers: [server] }] });
    const { updater, payload } = resultFor(answer, GAME, server);
    assert.deepEqual(
      [updater?.status, updater?.reason, payload?.name],
      ['SERVER_STATUS_OFFLINE', reason, name],
    );
  }
  const offline = all.filter(server =>
    history.of(server).some(({ status }) => status === 'SERVER_STATUS_OFFLINE'),
  );
  assert.deepEqual(offline, [ended, silent]);
  const others = await postFetch(stack.http, [{ game_id: GAME, servers: all }]);
  const online = all.filter(server => serverIn(others, server)._updater.status === 'online');
  assert.equal(online.length, all.length - 2);
});
