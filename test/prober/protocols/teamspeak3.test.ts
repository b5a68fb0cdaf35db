import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Step } from '../../../prober/protocols/protocol.ts';
import { teamspeak3 } from '../../../prober/protocols/teamspeak3.ts';
import { openStream, packetsOf, statusOf } from './exchange.ts';
import {
  ANSWERS,
  greeted,
  INFO,
  infoLine,
  informed,
  LIST,
  LISTED,
  OK,
  STATUS,
  say,
} from './teamspeak3-exchange.ts';

test('TeamSpeak 3: waits for the greeting, then requests the info of the voice server, then the client list', () => {
  const exchange = openStream(teamspeak3);
  assert.deepEqual(exchange.request(), []);
  assert.deepEqual(packetsOf(say(exchange, 'TS3\n')), [Buffer.from('use port=25565\nserverinfo\n')]);
  assert.equal(say(exchange, '\rWelcome to the TeamSpeak 3 ServerQuery interface.\n\r').kind, 'more');
  assert.equal(exchange.partial(), undefined);
  assert.deepEqual(packetsOf(say(exchange, ANSWERS)), [Buffer.from('clientlist\n')]);
  assert.deepEqual(exchange.partial(), STATUS);
  assert.deepEqual(statusOf(say(exchange, LIST)), LISTED);
});

test('TeamSpeak 3: accepts the greeting of a TeaSpeak server', () => {
  const greeting = 'TeaSpeak\nWelcome on the TeaSpeak ServerQuery interface.\n';
  const step = say(openStream(teamspeak3), greeting);
  assert.deepEqual(packetsOf(step), [Buffer.from('use port=25565\nserverinfo\n')]);
});

test('TeamSpeak 3: reads the replies in chunks of any size', () => {
  for (const size of [1, 2, 5, 64]) {
    const exchange = greeted();
    let last: Step = { kind: 'more' };
    for (const answer of [ANSWERS, LIST]) {
      const bytes = Buffer.from(answer);
      // Leaves out the last byte of the reply, a carriage return. For gsq, the reply is complete without this byte.
      for (let at = 0; at < bytes.length - 1; at += size)
        last = exchange.receive(bytes.subarray(at, at + size));
    }
    assert.deepEqual(statusOf(last), LISTED, `in pieces of ${size}`);
  }
});

test('TeamSpeak 3: does not request the client list if gsq itself is the only client', () => {
  const exchange = greeted();
  const info = infoLine({ ...INFO, virtualserver_clientsonline: '1' });
  assert.deepEqual(statusOf(say(exchange, `${OK}${info}\n\r${OK}`)), { ...STATUS, players: 0 });
});

test('TeamSpeak 3: reports no status while the reply is incomplete', () => {
  for (let length = 0; length < ANSWERS.length - 2; length++) {
    const exchange = greeted();
    assert.equal(say(exchange, ANSWERS.slice(0, length)).kind, 'more', `cut at ${length}`);
    assert.equal(exchange.partial(), undefined);
  }
});

test('TeamSpeak 3: reports the status without players if the client list is truncated, refused or empty', () => {
  const cut = informed();
  assert.equal(say(cut, LIST.slice(0, -OK.length)).kind, 'more');
  assert.deepEqual(cut.partial(), STATUS);
  const refused = say(
    informed(),
    'error id=2568 msg=insufficient\\sclient\\spermissions failed_permid=4\n\r',
  );
  assert.deepEqual(statusOf(refused), STATUS);
  assert.deepEqual(statusOf(say(informed(), OK)), { ...STATUS, playerList: [] });
});

test('TeamSpeak 3: does not read a welcome text as server info, even if it looks like server info', () => {
  assert.equal(say(greeted(), `${infoLine(INFO)}\n\r${OK}${OK}`).kind, 'malformed');
});

test('TeamSpeak 3: if the server refuses the command `use`, gsq reports the error message of the server as the reason', () => {
  const refusal = say(greeted(), 'error id=1024 msg=invalid\\sserverID\n\r');
  assert.deepEqual(refusal, { kind: 'malformed', reason: 'use: invalid serverID (1024)' });
});

test('TeamSpeak 3: rejects the greeting of another service, and an invalid server info', () => {
  for (const greeting of ['SSH-2.0-OpenSSH_9.6\r\n', 'HTTP/1.1 400 Bad Request\r\n', '\n', 'TS3x\n']) {
    assert.equal(say(openStream(teamspeak3), greeting).kind, 'malformed', greeting);
  }
  const { virtualserver_name: _, ...nameless } = INFO;
  for (const info of [
    '',
    infoLine(nameless),
    infoLine({ ...INFO, virtualserver_maxclients: 'many' }),
    infoLine({ ...INFO, virtualserver_clientsonline: '' }),
    infoLine({ ...INFO, virtualserver_queryclientsonline: '-1' }),
    infoLine({ ...INFO, virtualserver_queryclientsonline: '5' }),
  ]) {
    assert.equal(say(greeted(), `${OK}${info}\n\r${OK}`).kind, 'malformed', info);
  }
});

test('TeamSpeak 3: rejects a server that sends more than 64 lines or 256 KiB', () => {
  assert.equal(say(greeted(), 'a\n\r'.repeat(62)).kind, 'more');
  assert.equal(say(greeted(), 'a\n\r'.repeat(63)).kind, 'malformed');
  const exchange = greeted();
  assert.equal(say(exchange, 'a'.repeat(255 * 1024)).kind, 'more');
  assert.equal(say(exchange, 'a'.repeat(1024)).kind, 'malformed');
});
