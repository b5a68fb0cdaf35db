import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { respondA2s } from '../../../cli/demo/a2s-responder.ts';
import { respondBedrock } from '../../../cli/demo/bedrock-responder.ts';
import { type FakeState, setPlayers } from '../../../cli/demo/fake-server.ts';
import { MinecraftResponder } from '../../../cli/demo/minecraft-responder.ts';
import { respondQuake3 } from '../../../cli/demo/quake3-responder.ts';

const NOW = 1_700_000_000_000;

function state(players = 2): FakeState {
  const made: FakeState = {
    name: 'Name',
    map: 'map',
    version: '1.0',
    maxplayers: 8,
    password: true,
    players: [],
  };
  setPlayers(made, players, NOW - 90_500);
  return made;
}

const bytes = (hex: string): Buffer => Buffer.from(hex.replaceAll(' ', ''), 'hex');
const latin = (text: string): Buffer => Buffer.from(text, 'latin1');

describe('the A2S replies of the demo servers', () => {
  const info = latin('\xff\xff\xff\xffTSource Engine Query\0');
  const challenge = 0x01020304;
  const challengeReply = bytes('ffffffff 41 04030201');
  const ask = (request: Buffer) => respondA2s(state(), request, challenge, NOW);

  test('contain a challenge instead of data if the request has no valid challenge', () => {
    assert.deepEqual(ask(info), challengeReply);
    assert.deepEqual(ask(Buffer.concat([info, bytes('ffffffff')])), challengeReply);
    assert.deepEqual(ask(bytes('ffffffff 55 ffffffff')), challengeReply);
  });

  test('contain the server information if the request is A2S_INFO with the right challenge', () => {
    const expected = latin('\xff\xff\xff\xffI\x11Name\0map\0demo\0Demo\0\0\0\x02\x08\0dl\x01\x001.0\0\0');
    assert.deepEqual(ask(Buffer.concat([info, bytes('04030201')])), expected);
  });

  test('contain the index, name, score and play time of each player if the request is A2S_PLAYER', () => {
    const expected = Buffer.concat([
      bytes('ffffffff 44 02 00'),
      latin('AmberBadger\0'),
      bytes('00000000 0000b542 01'),
      latin('BriskBadger\0'),
      bytes('07000000 0000b542'),
    ]);
    assert.deepEqual(ask(bytes('ffffffff 55 04030201')), expected);
  });

  for (const [name, request] of Object.entries({
    'an empty datagram': Buffer.alloc(0),
    'an A2S_PLAYER request with a wrong challenge': bytes('ffffffff 55 05030201'),
    'an A2S_PLAYER request without a challenge': bytes('ffffffff 55'),
    'a split packet': bytes('feffffff 54'),
    'an unknown request': bytes('ffffffff 56 04030201'),
    'a large datagram': Buffer.concat([info, Buffer.alloc(1000)]),
  })) {
    test(`are not sent if the demo server receives ${name}`, () => assert.equal(ask(request), undefined));
  }
});

describe('the Quake 3 replies of the demo servers', () => {
  const ask = (text: string) => respondQuake3(state(), latin(text))?.toString('latin1');

  test('contain settings and players if the request is getstatus', () => {
    assert.equal(
      ask('\xff\xff\xff\xffgetstatus\n'),
      '\xff\xff\xff\xffstatusResponse\n\\sv_hostname\\Name\\mapname\\map\\version\\1.0\\sv_maxclients\\8' +
        '\\g_needpass\\1\\gamename\\baseq3\\protocol\\68\n0 20 "AmberBadger"\n7 21 "BriskBadger"\n',
    );
  });

  test('repeat the challenge of the request, with spaces instead of backslashes and quotes (Quake 3 delimiters)', () => {
    assert.match(
      ask('\xff\xff\xff\xffgetinfo xyz') ?? '',
      /^\xff{4}infoResponse\n\\challenge\\xyz\\.*\\clients\\2\\/,
    );
    assert.match(ask('\xff\xff\xff\xffgetinfo a\\b"c') ?? '', /\\challenge\\a b c\\/);
  });

  test('are not sent in response to a request of an unknown form', () => {
    for (const text of [
      '',
      'getstatus',
      '\xff\xff\xff\xffrcon x',
      `\xff\xff\xff\xffgetstatus ${'x'.repeat(300)}`,
    ]) {
      assert.equal(ask(text), undefined, JSON.stringify(text));
    }
  });
});

describe('the Minecraft Bedrock replies of the demo servers', () => {
  const magic = '00ffff00fefefefefdfdfdfd12345678';
  const ask = (request: Buffer) => respondBedrock(state(), request, 5n, 19132);

  test('contain the server status and the time stamp of an unconnected ping', () => {
    const status = 'MCPE;Name;818;1.0;2;8;5;map;Survival;1;19132;19132;';
    const expected = Buffer.concat([
      bytes(`1c 0102030405060708 0000000000000005 ${magic} 00${status.length.toString(16)}`),
      latin(status),
    ]);
    assert.deepEqual(ask(bytes(`01 0102030405060708 ${magic} 0000000000000000`)), expected);
  });

  test('are not sent in response to a request of an unknown form', () => {
    assert.equal(ask(Buffer.alloc(0)), undefined);
    assert.equal(ask(bytes(`01 0102030405060708 ${magic}`)), undefined, 'too short');
    assert.equal(ask(bytes(`05 0102030405060708 ${magic} 0000000000000000`)), undefined, 'not a ping');
    assert.equal(
      ask(bytes(`01 0102030405060708 01${magic.slice(2)} 0000000000000000`)),
      undefined,
      'no magic',
    );
  });
});

describe('the demo server for Minecraft Java', () => {
  // A Minecraft handshake with protocol version -1, host "a", port 25565 and next state 1 (status).
  const handshake = bytes('0b 00 ffffffff0f 01 61 63dd 01');
  const request = bytes('01 00');
  const ping = bytes('09 01 0102030405060708');

  function statusOf(reply: Buffer): {
    description: { text: string };
    players: { online: number; max: number };
  } {
    return JSON.parse(reply.toString('utf8', reply.indexOf('{')));
  }

  test('answers a status request and a ping that follow a handshake', () => {
    const connection = new MinecraftResponder(state());
    assert.equal(connection.receive(handshake).length, 0);
    const reply = connection.receive(request);
    assert.equal(statusOf(reply).description.text, 'Name');
    assert.deepEqual([statusOf(reply).players.online, statusOf(reply).players.max], [2, 8]);
    // Checks the start of the Minecraft status reply: the length of the reply (a VarInt of two bytes), and the packet
    // id 0.
    assert.equal(((reply[0] ?? 0) & 0x7f) | ((reply[1] ?? 0) << 7), reply.length - 2);
    assert.equal(reply[2], 0);
    assert.deepEqual(connection.receive(ping), ping);
  });

  test('accepts requests that arrive byte by byte', () => {
    const whole = new MinecraftResponder(state()).receive(Buffer.concat([handshake, request, ping]));
    const connection = new MinecraftResponder(state());
    const single = [...handshake, ...request, ...ping].map(byte => connection.receive(Buffer.from([byte])));
    assert.deepEqual(Buffer.concat(single), whole);
  });

  for (const [name, input] of Object.entries({
    'a login handshake': bytes('0b 00 ffffffff0f 01 61 63dd 02'),
    'a request without a handshake': request,
    'an empty packet': bytes('00'),
    'a packet that is too large': bytes('ffff03'),
    'a length that does not end': bytes('ffffffffff'),
    'an unknown packet': Buffer.concat([handshake, bytes('01 02')]),
  })) {
    test(`closes the connection if a client sends ${name}`, () => {
      assert.throws(() => new MinecraftResponder(state()).receive(input), RangeError);
    });
  }
});
