import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { type Answering, FakeDirectories, json } from './fake-directories.ts';
import { addressOf, PORT } from './game-of-directory.ts';
import { openGameClient } from './opened-client.ts';

let fake: FakeDirectories;
before(async () => {
  fake = await FakeDirectories.start();
});
after(() => fake.stop());

/**
 * Opens a client that looks up servers in the public server list of one game. A fake server on loopback provides the
 * list.
 */
const opened = (protocol: string) => openGameClient(fake, protocol);

/** Answers like the public server list of Hawakening: accepts every log-in, and returns a list with one server. */
function hawakeningList(entry: object): Answering {
  return (request, response, body) => {
    const Result = request.method === 'POST' ? 'granted' : [entry];
    json({ Status: 200, Result })(request, response, body);
  };
}

describe('an entry in the directory (online server list)', () => {
  const AT = addressOf(0);
  const brokeServer = { Ip: AT, Port: PORT, PlayerLimit: 50, Snapshots: [] };
  const account = (server: object) =>
    json({ Success: true, Servers: [{ Port: PORT, Online: true, ...server }] });
  const info = Buffer.from('Named').toString('base64');
  const eosSession =
    (more: object): Answering =>
    (request, response, body) => {
      const session = {
        attributes: { ADDRESSBOUND_s: `0.0.0.0:${PORT}`, CUSTOMSERVERNAME_s: 'Named' },
        ...more,
      };
      const token = { access_token: 'token', expires_in: 3600 };
      json(request.url?.startsWith('/auth/') ? token : { sessions: [session] })(request, response, body);
    };

  const uncounted: [string, Answering][] = [
    ['altvmp', json([{ address: `${AT}:${PORT}`, name: 'Named' }])],
    ['asa', eosSession({})],
    ['beammp', json([{ ip: AT, port: PORT, sname: 'Named', players: '', maxplayers: null }])],
    ['discord', json({ name: 'Named' })],
    ['geneshift', (_, response) => response.end(`DE::Germany::${AT}::${PORT}::Named::::::::`)],
    ['hawakening', hawakeningList({ Guid: 'guid-0', ServerName: 'Named' })],
    ['minetest', json({ list: [{ address: AT, port: PORT, name: 'Named' }] })],
    ['ragemp', json([{ id: 'a', servers: [{ id: `${AT}:${PORT}`, name: 'Named' }] }])],
    ['renegadex', json([{ IP: AT, Port: PORT, Name: 'Named' }])],
    ['scpsl', account({ Info: info })],
    ['vintagestory', json({ data: [{ serverIP: `${AT}:${PORT}`, serverName: 'Named' }] })],
  ];
  for (const [protocol, answering] of uncounted) {
    test(`gives an online server with unknown player counts if it has no player counts (protocol ${protocol})`, async () => {
      const { answer, ask, close } = opened(protocol);
      answer(answering);
      const found = await ask();
      assert.ok(found.kind === 'online', JSON.stringify(found));
      const { name, players, maxplayers, version } = found.status;
      assert.deepEqual([name, players, maxplayers, version ?? ''], ['Named', undefined, undefined, '']);
      close();
    });
  }

  test('gives an unknown player count if it has no recent player counts (game brokeprotocol)', async () => {
    const { answer, ask, close } = opened('brokeprotocol');
    answer(json({ servers: [brokeServer] }));
    const found = await ask();
    assert.ok(found.kind === 'online');
    assert.deepEqual([found.status.players, found.status.maxplayers], [undefined, 50]);
    close();
  });

  const bare: [string, Answering][] = [
    ['altvmp', json([{ address: `${AT}:${PORT}` }])],
    ['beammp', json([{ ip: AT, port: PORT }])],
    ['renegadex', json([{ IP: AT, Port: PORT }])],
    ['scpsl', account({})],
  ];
  for (const [protocol, answering] of bare) {
    test(`gives \`directory-unavailable\` if it has neither a name nor player counts (protocol ${protocol})`, async () => {
      const { answer, ask, close } = opened(protocol);
      answer(answering);
      assert.equal((await ask()).kind, 'directory-unavailable');
      close();
    });
  }

  const many: [string, Answering][] = [
    ['asa', eosSession({ totalPlayers: 'many' })],
    ['beammp', json([{ ip: AT, port: PORT, sname: 'Named', players: 'many', maxplayers: '8' }])],
    ['scpsl', account({ Info: info, Players: 'many/20' })],
  ];
  for (const [protocol, answering] of many) {
    test(`gives \`directory-unavailable\` if a player count is not a number (protocol ${protocol})`, async () => {
      const { answer, ask, close } = opened(protocol);
      answer(answering);
      assert.equal((await ask()).kind, 'directory-unavailable');
      close();
    });
  }
});
