import assert from 'node:assert/strict';
import { test } from 'node:test';
import { dmp } from '../../../prober/protocols/dmp.ts';
import { openStream, statusOf } from './exchange.ts';

const INFO = {
  cheats: true,
  max_players: 12,
  mod_control: 1,
  player_count: 2,
  players: 'Jebediah, Val Kerman',
  port: 6702,
  server_name: 'Mun or bust',
  version: 'v0.3.7.1',
};
const read = (document: unknown) =>
  openStream(dmp).receive(Buffer.from(`HTTP/1.1 200 OK\r\n\r\n${JSON.stringify(document)}`));

test('DarkMultiPlayer: reads the player count from one field, and the comma-separated names from another field', () => {
  assert.deepEqual(statusOf(read(INFO)), {
    name: 'Mun or bust',
    players: 2,
    maxplayers: 12,
    connectPort: 6702,
    version: 'v0.3.7.1',
    playerList: [{ name: 'Jebediah' }, { name: 'Val Kerman' }],
  });
});

test('DarkMultiPlayer: reads an empty server that reports no version', () => {
  const { players, playerList, version } = statusOf(
    read({ ...INFO, player_count: 0, players: '', version: undefined }),
  );
  assert.deepEqual([players, playerList, version], [0, [], undefined]);
});

test('DarkMultiPlayer: rejects a reply in which a required field is missing or invalid', () => {
  for (const document of [
    [],
    { ...INFO, player_count: undefined },
    { ...INFO, max_players: -1 },
    { ...INFO, players: ['Jebediah'] },
    { ...INFO, server_name: null },
    { ...INFO, port: 67020 },
  ]) {
    assert.equal(read(document).kind, 'malformed', JSON.stringify(document));
  }
});
