/**
 * Tests unusual reply formats of games over REST, with a real core, gateway and prober. The game Squad is tested in
 * test/prober/probes/formats.test.ts.
 */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
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
import { FakeGames, SERVER } from './fake-games.ts';

describe('REST answers for servers with unusual reply formats', () => {
  let stack: Stack;
  const games = new FakeGames(() => stack.http);
  const { listens, answers, answersOnce, online, seen } = games;
  before(async () => {
    stack = await Stack.start({ processes: ['core', 'gateway', 'prober'] });
  });
  after(async () => {
    await games.close();
    await stack.stop();
  });

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

  it('Unreal Tournament 3: `hostname` is shown as the name if the property `p1073741827` is empty', async () => {
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

  it('Minecraft: a server that hides its players is shown as online, without player counts', async () => {
    const port = await answersOnce(minecraftStatus('{"description":"Hidden","version":{"name":"1.21"}}'));
    const server = await online('minecraft', port);
    assert.deepEqual([server.name, server.version], ['Hidden', '1.21']);
    for (const key of ['players', 'maxplayers', 'numplayers']) assert.ok(!(key in server), key);
  });

  it('Satisfactory: a server whose HTTPS API is closed is shown as online, without player counts', async () => {
    const port = await answers(() => {
      const state = bytes(3, i32(366_202), Buffer.alloc(8), 1, 0, u16(17), u16(7), 'Factory', 1);
      return bytes(0xd5, 0xf6, 1, 1, Buffer.alloc(8, 5), state);
    });
    const server = await online('satisfactory', port);
    assert.deepEqual([server.name, server.version], ['Factory', '366202']);
    for (const key of ['players', 'maxplayers', 'numplayers']) assert.ok(!(key in server), key);
  });

  it('contain player counts, and a name without markup, for TeamSpeak 2, DarkMultiPlayer and Eco', async () => {
    const voice = '127.0.91.2';
    await listens('teamspeak2', { port: 51_234 }, voice);
    const { name, players, maxplayers, version } = await online('teamspeak2', 51_234, voice);
    assert.deepEqual([name, players, maxplayers, version], [SERVER.name, 2, 24, '4.5.6']);
    assert.deepEqual(await seen('kspd', (await listens('kspdmp')) - 1), [SERVER.name, 2, 24]);
    assert.deepEqual(await seen('eco', (await listens('eco')) - 1), [SERVER.name, 2, 24]);
  });
});
