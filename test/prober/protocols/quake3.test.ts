import assert from 'node:assert/strict';
import { test } from 'node:test';
import { quake3 } from '../../../prober/protocols/quake3.ts';
import { bytes, MESSAGE, quake3Status } from './bytes.ts';
import { openDatagrams, statusOf } from './exchange.ts';

const INFO = {
  sv_hostname: '^1Red ^7Arena',
  mapname: 'q3dm17',
  sv_maxclients: '16',
  g_needpass: '1',
  version: 'ioq3 1.36',
};
const open = () => openDatagrams(quake3);

test('asks with getstatus, and once more after silence', () => {
  const exchange = open();
  const asked = [exchange.request(), exchange.request(), exchange.request()];
  assert.deepEqual(
    asked.map(packets => packets.map(packet => packet.toString('latin1'))),
    [['\xff\xff\xff\xffgetstatus\n'], ['\xff\xff\xff\xffgetstatus\n'], []],
  );
});

test('reads the info string and the players; only bots have no ping', () => {
  const status = statusOf(open().receive(quake3Status(INFO, ['12 48 "^2Ann"', '-3 0 "Sarge"', '0 999 ""'])));
  assert.deepEqual(status, {
    name: '^1Red ^7Arena',
    map: 'q3dm17',
    players: 3,
    maxplayers: 16,
    numbots: 1,
    password: true,
    version: 'ioq3 1.36',
    playerList: [
      { name: '^2Ann', score: 12 },
      { name: 'Sarge', score: -3 },
      { name: '', score: 0 },
    ],
  });
});

test('an empty server, with the zero byte some put behind', () => {
  const reply = quake3Status(INFO, []);
  for (const form of [reply, bytes(reply, 0)]) assert.equal(statusOf(open().receive(form)).players, 0);
});

test('what the family calls the same things, and where it puts the team', () => {
  const relatives = {
    hostname: 'CoD',
    mapname: 'mp_crash',
    maxclients: '24',
    pswrd: '0',
    shortversion: '1.7',
  };
  const reply = quake3Status(relatives, [
    '1 20 2 "Team before"',
    '2 30 "Team behind" 1',
    '3 40 "a "quoted" name"',
  ]);
  const { name, maxplayers, password, version, playerList } = statusOf(open().receive(reply));
  assert.deepEqual([name, maxplayers, password, version], ['CoD', 24, false, '1.7']);
  assert.deepEqual(
    playerList?.map(player => player.name),
    ['Team before', 'Team behind', 'a "quoted" name'],
  );
});

test('other chatter in the same envelope is not the answer', () => {
  assert.equal(open().receive(bytes(MESSAGE, 'print\nhello\n')).kind, 'more');
  assert.equal(open().receive(bytes(MESSAGE, 'infoResponse\n\\a\\b')).kind, 'more');
});

test('a reply cut short is malformed, save between two players, where it is whole', () => {
  const reply = quake3Status(INFO, ['12 48 "Ann"', '3 50 "Bob"']);
  for (let length = 0; length < reply.length; length++) {
    const step = open().receive(reply.subarray(0, length));
    const text = reply.subarray(0, length).toString('latin1');
    const lines = text.split('\n').length - 3;
    if (text.endsWith('\n') && lines >= 0) assert.equal(statusOf(step).players, lines);
    else assert.equal(step.kind, 'malformed', `cut at ${length}`);
  }
});

test('what contradicts itself is malformed', () => {
  for (const reply of [
    quake3Status({ ...INFO, sv_maxclients: 'many' }, []),
    quake3Status({ sv_hostname: 'no capacity' }, []),
    quake3Status(INFO, ['12 48 Ann']),
    quake3Status(INFO, ['12 "Ann"']),
    quake3Status(INFO, ['']),
    bytes(MESSAGE, 'statusResponse\n\\a\\b\\c\n'),
    bytes(MESSAGE, 'statusResponse\nno info\n'),
    bytes(MESSAGE, 'statusResponse\n'),
    bytes(quake3Status({ ...INFO, long: 'x'.repeat(17000) }, [])),
    Buffer.from('getstatus\n'),
    Buffer.alloc(5),
  ]) {
    assert.equal(open().receive(reply).kind, 'malformed', reply.toString('latin1', 0, 60));
  }
});
