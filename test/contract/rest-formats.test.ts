/**
 * Tests games with unusual reply formats over REST, with a real core, gateway and prober. Squad is tested in
 * test/prober/probes/formats.test.ts instead. Its servers are looked up in a directory, and a new core waits a minute
 * before the first look-up.
 */
import assert from 'node:assert/strict';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { after, before, describe, it } from 'node:test';
import { Fleet } from '../fleet/fleet.ts';
import type { FleetServer } from '../fleet/responder.ts';
import {
  bytes,
  cstring,
  hltvInfo,
  i32,
  minecraftStatus,
  quake3Status,
  u16,
} from '../prober/protocols/bytes.ts';
import { Stack } from '../system/stack.ts';
import { until } from '../system/until.ts';
import { fetchOne, type RestServer } from './rest.ts';

const HOST = '127.0.91.1';
/** The status that a fake game server reports. REST must show the same values. */
const SERVER: FleetServer = {
  name: 'A server of the tests',
  map: 'oasis',
  maxplayers: 24,
  password: true,
  version: '4.5.6',
  players: [
    { name: 'Ann', score: 7, time: 61 },
    { name: 'Bob', score: -2, time: 600 },
  ],
  port: 0,
};

/** A server in a REST answer. Tests can read any of its keys. */
type Shown = RestServer & { [key: string]: unknown };

describe('game servers with unusual reply formats, over REST', () => {
  let stack: Stack;
  const cleanups: (() => unknown)[] = [];
  before(async () => {
    stack = await Stack.start();
  });
  after(async () => {
    for (const cleanup of cleanups) await cleanup();
    await stack.stop();
  });

  /** Starts a fake game server of this protocol. Returns the port of the server. */
  async function listens(
    protocol: string,
    change: Partial<FleetServer> = {},
    address = HOST,
  ): Promise<number> {
    const server = { ...SERVER, ...change };
    const fleet = await Fleet.open([{ protocol, address, server }]);
    cleanups.push(() => fleet.close());
    return server.port;
  }

  /** Starts a UDP server that answers each datagram with `reply`. Returns the port of the server. */
  async function answers(reply: (request: Buffer) => Buffer): Promise<number> {
    const socket = createSocket('udp4');
    cleanups.push(() => socket.close());
    socket.on('message', (request, from) => socket.send(reply(request), from.port, from.address));
    socket.bind(0, HOST);
    await once(socket, 'listening');
    return socket.address().port;
  }

  const online = (gameId: string, port: number, host = HOST): Promise<Shown> =>
    until(
      `${gameId} online`,
      async () => ({ ...(await fetchOne(stack.http, gameId, `${host}:${port}`)) }),
      ({ _updater }) => _updater.status === 'online',
    );
  /** Waits until a server is online. Returns its name, players, maxplayers and the fields listed in `more`. */
  async function seen(gameId: string, port: number, ...more: string[]): Promise<unknown[]> {
    const server = await online(gameId, port);
    return ['name', 'players', 'maxplayers', ...more].map(key => server[key]);
  }

  it('IW4x: an empty line after the player list does not count as a player', async () => {
    const info = { sv_hostname: '^1Iron ^7sights', mapname: 'mp_rust', sv_maxclients: '18', isPrivate: '1' };
    const port = await answers(() => quake3Status(info, ['10 20 "Ann"', '']));
    assert.deepEqual(await seen('codmw2', port, 'password'), ['Iron sights', 1, 18, true]);
  });

  it('Battalion 1944, Days of War and Barotrauma: values are read from the A2S rules', async () => {
    const battalion = (await listens('battalion1944')) - 3;
    assert.deepEqual(await seen('battalion1944', battalion, 'version'), [SERVER.name, 2, 24, '']);
    const daysofwar = await listens('daysofwar');
    assert.deepEqual(await seen('dow', daysofwar, 'map', 'version'), [SERVER.name, 2, 24, 'oasis', '4.5.6']);
    const barotrauma = (await listens('barotrauma')) - 1;
    assert.deepEqual(await seen('barotrauma', barotrauma, 'version'), [SERVER.name, 2, 24, '4.5.6']);
  });

  it('Project Zomboid and Soulmask: the version is read from the A2S rules', async () => {
    for (const gameId of ['projectzomboid', 'soulmask']) {
      const port = await listens(gameId);
      assert.deepEqual(await seen(gameId, port, 'version'), [SERVER.name, 2, 24, '4.5.6'], gameId);
    }
  });

  it('Hidden & Dangerous 2 is queried with the GameSpy 2 protocol', async () => {
    const port = (await listens('gamespy2')) - 3;
    assert.deepEqual(await seen('hiddendangerous2', port, 'map'), [SERVER.name, 2, 24, 'oasis']);
  });

  it('Unreal Tournament 3: hostname is shown as the name if the property p1073741827 is empty', async () => {
    const facts = [
      'hostname',
      'Beer and Rockets',
      'p1073741827',
      '',
      'numplayers',
      '1',
      'maxplayers',
      '12',
      '',
    ];
    const port = await answers(request => {
      const id = request.subarray(3, 7);
      if (request[2] === 9) return bytes(9, id, cstring('1'));
      return bytes(0, id, cstring('splitnum'), 0x80, 0, ...facts.map(cstring));
    });
    assert.deepEqual(await seen('unrealtournament3', port), ['Beer and Rockets', 1, 12]);
  });

  it('Quake Wars: name and players of a server with a mod are shown', async () => {
    const info = ['si_version', 'ETQW 1.5', 'gamename', 'bbamod', 'si_name', 'Strogg', 'si_maxPlayers', '24'];
    const ann = bytes(0, u16(48), cstring('Ann'), 1, cstring('[clan]'), 0);
    const body = bytes(...info.map(cstring), 0, 0, ann, 32, i32(7), 1, i32(60_000), 3, 0, 2);
    const port = await answers(request =>
      bytes(
        0xff,
        0xff,
        cstring('infoResponse'),
        request.subarray(10, 18),
        i32(0xa0016),
        i32(body.length),
        body,
      ),
    );
    assert.deepEqual(await seen('etqw', port, 'numbots'), ['Strogg', 1, 24, 0]);
  });

  it('HLTV: the number of spectators is shown as players, and the spectator slots as maxplayers', async () => {
    const port = await answers(() => hltvInfo(0, 128));
    assert.deepEqual(await seen('counterstrike16', port), ['HLTV', 0, 128]);
  });

  it('Minecraft: a server that hides its players is online without player counts', async () => {
    const game = createServer(socket => {
      socket.on('error', () => {});
      socket.once('data', () =>
        socket.end(minecraftStatus('{"description":"Hidden","version":{"name":"1.21"}}')),
      );
    });
    cleanups.push(() => game.close());
    game.listen(0, HOST);
    await once(game, 'listening');
    const bound = game.address();
    assert.ok(bound && typeof bound === 'object');
    const server = await online('minecraft', bound.port);
    assert.deepEqual([server.name, server.version], ['Hidden', '1.21']);
    for (const key of ['players', 'maxplayers', 'numplayers']) assert.ok(!(key in server), key);
  });

  it('Satisfactory: a server whose HTTPS API is closed is online without player counts', async () => {
    const port = await answers(() => {
      const state = bytes(3, i32(366_202), Buffer.alloc(8), 1, 0, u16(17), u16(7), 'Factory', 1);
      return bytes(0xd5, 0xf6, 1, 1, Buffer.alloc(8, 5), state);
    });
    const server = await online('satisfactory', port);
    assert.deepEqual([server.name, server.version], ['Factory', '366202']);
    for (const key of ['players', 'maxplayers', 'numplayers']) assert.ok(!(key in server), key);
  });

  it('TeamSpeak 2, DarkMultiPlayer and Eco: name, player count and slots are shown, without markup', async () => {
    const voice = '127.0.91.2';
    await listens('teamspeak2', { port: 51_234 }, voice);
    const { name, players, maxplayers, version } = await online('teamspeak2', 51_234, voice);
    assert.deepEqual([name, players, maxplayers, version], [SERVER.name, 2, 24, '4.5.6']);
    assert.deepEqual(await seen('kspd', (await listens('kspdmp')) - 1), [SERVER.name, 2, 24]);
    assert.deepEqual(await seen('eco', (await listens('eco')) - 1), [SERVER.name, 2, 24]);
  });
});
