import assert from 'node:assert/strict';
import { createSocket } from 'node:dgram';
import { readFileSync } from 'node:fs';
import { after, before, describe, test } from 'node:test';
import { GameDig } from 'gamedig';
import { type Fleet, type FleetServer, startFleet } from '../../../cli/demo/fleet.ts';
import { demoPlan, type FleetProtocol } from '../../../cli/demo/fleet-plan.ts';
import { parseAddress } from '../../../net/address.ts';
import { parseCatalog, queryPorts } from '../../../proto/catalog.ts';

interface Answer {
  name: string;
  map: string;
  version: string;
  numplayers: number;
  maxplayers: number;
  password: boolean;
  players: { name?: string }[];
}

/** Names that gamedig uses for the protocols of the demo servers, keyed by the name that gsq uses. */
const PEER: Record<FleetProtocol, string> = {
  a2s: 'protocol-valve',
  quake3: 'protocol-quake3',
  minecraft: 'protocol-minecraftvanilla',
  bedrock: 'protocol-minecraftbedrock',
};

/** Queries a server with gamedig, an independent implementation of the protocols. */
async function ask(server: FleetServer): Promise<Answer> {
  const [host = '', port] = server.address.split(':');
  const answer = await new GameDig().query({
    type: PEER[server.protocol],
    address: host,
    host,
    port: Number(port),
    givenPortOnly: true,
    portCache: false,
    maxRetries: 1,
    socketTimeout: 2000,
    attemptTimeout: 5000,
  });
  return answer as Answer;
}

const freePorts = demoPlan.map(plan => ({ ...plan, port: 0 }));

describe('the demo fleet (fake game servers)', () => {
  let fleet: Fleet;
  before(async () => {
    fleet = await startFleet({ plan: freePorts, now: Date.now, random: Math.random });
  });
  after(() => fleet.stop());

  test('has at least two servers of each protocol, all with different addresses', () => {
    for (const protocol of Object.keys(PEER)) {
      assert.ok(fleet.servers.filter(server => server.protocol === protocol).length >= 2, protocol);
    }
    assert.equal(new Set(fleet.servers.map(({ address }) => address)).size, fleet.servers.length);
  });

  test('uses for each server the protocol and the first query port of its game in catalog.json', () => {
    const games = parseCatalog(
      readFileSync(new URL('../../../catalog.json', import.meta.url), 'utf8'),
      'catalog',
    );
    for (const { gameId, protocol, address } of fleet.servers) {
      const game = games.find(({ id }) => id === gameId);
      assert.equal(game?.protocol, protocol, gameId);
      const parsed = parseAddress(address);
      assert.notEqual(parsed.kind, 'malformed');
      if (game && parsed.kind !== 'malformed') assert.equal(queryPorts(game, parsed.port)[0], parsed.port);
    }
  });

  for (const [index, plan] of demoPlan.entries()) {
    test(`answers gamedig with the correct data of the server "${plan.name}" (${plan.gameId})`, async () => {
      const server = fleet.servers[index];
      assert.ok(server);
      const answer = await ask(server);
      if (plan.protocol === 'minecraft') {
        // The name of a Minecraft Java server is not compared, because gamedig does not report it.
        assert.equal(answer.maxplayers, plan.maxplayers);
      } else {
        assert.equal(answer.name, plan.name);
        assert.equal(answer.map, plan.map);
        assert.equal(answer.version, plan.version);
      }
      assert.equal(answer.numplayers, plan.players);
      assert.equal(Number(answer.maxplayers), plan.maxplayers);
      assert.equal(Boolean(Number(answer.password)), false);
    });
  }

  for (const protocol of ['a2s', 'quake3', 'minecraft'] as const) {
    test(`reports player names over the protocol ${protocol}`, async () => {
      const server = fleet.servers.find(one => one.protocol === protocol);
      assert.ok(server);
      server.setPlayers(3);
      const { players, numplayers } = await ask(server);
      assert.equal(numplayers, 3);
      assert.deepEqual(
        // Copies the player names into a plain array and sorts them. gamedig returns the players in an array class of
        // its own and in a different order, so deepEqual would fail.
        Array.from(players, ({ name }) => name).sort(),
        ['AmberBadger', 'BriskBadger', 'CleverBadger'],
      );
    });
  }

  test('sends the new name, password flag and player count of a server after these values change', async () => {
    const server = fleet.servers.find(({ gameId }) => gameId === 'garrysmod');
    assert.ok(server);
    server.state.name = 'Another name';
    server.state.password = true;
    server.setPlayers(1_000);
    const answer = await ask(server);
    assert.equal(answer.name, 'Another name');
    assert.equal(answer.password, true);
    assert.equal(answer.numplayers, server.state.maxplayers);
    server.setPlayers(-5);
    assert.equal((await ask(server)).numplayers, 0);
  });
});

describe('a demo fleet that contains one server', () => {
  const [plan] = freePorts;
  assert.ok(plan);

  test('changes the player count of the server at random, between 0 and the maximum', async () => {
    const draws = [0.99, 0.99, 0.99, 0.5, 0, 0, 0, 0];
    const fleet = await startFleet({
      plan: [{ ...plan, players: 0, maxplayers: 2 }],
      now: Date.now,
      random: () => draws.shift() ?? 0.5,
    });
    const counts: number[] = [];
    while (draws.length > 0) {
      fleet.wander();
      counts.push(fleet.servers[0]?.state.players.length ?? -1);
    }
    assert.deepEqual(counts, [1, 2, 2, 2, 1, 0, 0, 0]);
    await fleet.stop();
  });

  test('uses a different port if the preferred port is in use', async () => {
    const taken = createSocket('udp4');
    await new Promise<void>(resolve => taken.bind(0, '127.0.1.1', resolve));
    const { port } = taken.address();
    const fleet = await startFleet({ plan: [{ ...plan, port }], now: Date.now, random: Math.random });
    assert.match(fleet.servers[0]?.address ?? '', /^127\.0\.1\.1:\d+$/);
    assert.notEqual(fleet.servers[0]?.address, `127.0.1.1:${port}`);
    await fleet.stop();
    await new Promise<void>(resolve => taken.close(() => resolve()));
  });

  test('frees the port of the server when the server is stopped, and a second stop causes no error', async () => {
    const fleet = await startFleet({ plan: [plan], now: Date.now, random: Math.random });
    const [server] = fleet.servers;
    assert.ok(server);
    await server.stop();
    const port = Number(server.address.split(':')[1]);
    const next = createSocket('udp4');
    await new Promise<void>(resolve => next.bind(port, '127.0.1.1', resolve));
    await new Promise<void>(resolve => next.close(() => resolve()));
    await server.stop();
    await fleet.stop();
  });
});
