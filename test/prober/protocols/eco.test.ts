import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eco } from '../../../prober/protocols/eco.ts';
import { openStream, statusOf } from './exchange.ts';

const INFO = {
  GamePort: 3000,
  WebPort: 3001,
  Description: '<b><color=#ff0000>L</color><color="red">e</color>af</b> <#0000FE>[EU]</color>',
  OnlinePlayers: 2,
  TotalPlayers: 77,
  OnlinePlayersNames: ['<i>Ann</i>', 'B<3b'],
  Version: '0.11.1.4 beta',
  HasPassword: true,
};
const read = (info: unknown) =>
  openStream(eco).receive(
    Buffer.from(`HTTP/1.1 200 OK\r\n\r\n${JSON.stringify({ Info: info, Graphs: [] })}`),
  );
const named = (Description: string) => statusOf(read({ ...INFO, Description })).name;

test('Eco: requests the path /frontpage', () => {
  assert.match(String(openStream(eco).request()), /^GET \/frontpage HTTP\/1\.0\r\n/);
});

test('Eco: reads the status from the front page of the server, and removes rich text tags from names', () => {
  assert.deepEqual(statusOf(read(INFO)), {
    name: 'Leaf [EU]',
    players: 2,
    maxplayers: 77,
    password: true,
    version: '0.11.1.4 beta',
    connectPort: 3000,
    playerList: [{ name: 'Ann' }, { name: 'B<3b' }],
  });
});

test('Eco: removes known rich text tags, and keeps other text in angle brackets', () => {
  assert.equal(named('<SIZE=120%>Big</SIZE> <sprite name="leaf"><br>world'), 'Big world');
  assert.equal(named('1 < 2 > 0, <3, <EU> and <color'), '1 < 2 > 0, <3, <EU> and <color');
  assert.equal(named(`${'<color='.repeat(5000)}x`).length, 7 * 5000 + 1);
});

test('Eco: accepts the reply of an old server, which contains no player names and no password flag', () => {
  const { OnlinePlayersNames: _, HasPassword: __, ...old } = INFO;
  const status = statusOf(read(old));
  assert.deepEqual([status.players, status.playerList, status.password], [2, undefined, undefined]);
});

test('Eco: rejects a reply in which a field is missing or invalid', () => {
  for (const info of [
    undefined,
    null,
    { ...INFO, OnlinePlayers: undefined },
    { ...INFO, TotalPlayers: 'many' },
    { ...INFO, Description: 7 },
    { ...INFO, OnlinePlayersNames: 'Ann' },
    { ...INFO, OnlinePlayersNames: [{}] },
    { ...INFO, GamePort: 0 },
  ]) {
    assert.equal(read(info).kind, 'malformed', JSON.stringify(info));
  }
});
