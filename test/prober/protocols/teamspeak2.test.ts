import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Step, StreamExchange } from '../../../prober/protocols/protocol.ts';
import { teamspeak2 } from '../../../prober/protocols/teamspeak2.ts';
import { openStream, packetsOf, statusOf } from './exchange.ts';

const GREETING = '[TS]\r\n';
const OK = 'OK\r\n';
const lines = (...texts: string[]) => texts.map(text => `${text}\r\n`).join('');
const INFO = lines(
  'server_id=1',
  'server_name=Funk = und J\u00f6rg',
  'server_welcomemessage=',
  'server_password=1',
  'server_udpport=8767',
  'server_maxusers=250',
  'server_currentusers=2',
);
const GLOBAL = lines('total_server_version=2.0.24.1', 'total_users_online=40');
const ANSWERS = OK + INFO + OK + GLOBAL + OK;
const LIST = lines(
  'p_id\tc_id\tping\tlogintime\tidletime\tip\tnick\tloginname',
  '6\t16\t2\t497623\t197\t"0.0.0.0"\t"Ann "the" 110"\t"ann"\t',
  '105\t1\t61\tnever\t0\t"0.0.0.0"\t""\t""\t',
);
const STATUS = {
  name: 'Funk = und J\u00f6rg',
  players: 2,
  maxplayers: 250,
  password: true,
  connectPort: 8767,
  version: '2.0.24.1',
};
const PLAYERS = [{ name: 'Ann "the" 110', time: 497623 }, { name: '' }];

const say = (exchange: StreamExchange, text: string): Step => exchange.receive(Buffer.from(text));
const greeted = (): StreamExchange => {
  const exchange = openStream(teamspeak2);
  say(exchange, GREETING);
  return exchange;
};
const informed = (): StreamExchange => {
  const exchange = greeted();
  say(exchange, ANSWERS);
  return exchange;
};

test('TeamSpeak 2: after the greeting, requests the info of the voice server and of the host, then the players', () => {
  const exchange = openStream(teamspeak2);
  assert.deepEqual(exchange.request(), []);
  assert.deepEqual(packetsOf(say(exchange, GREETING)), [Buffer.from('sel 25565\nsi\ngi\n')]);
  assert.equal(say(exchange, OK).kind, 'more');
  assert.equal(exchange.partial(), undefined);
  assert.equal(say(exchange, INFO + OK).kind, 'more');
  assert.equal(exchange.partial()?.players, 2);
  assert.deepEqual(packetsOf(say(exchange, GLOBAL + OK)), [Buffer.from('pl\n')]);
  assert.deepEqual(exchange.partial(), STATUS);
});

test('TeamSpeak 2: reads the status and the players in chunks of any size', () => {
  const whole = GREETING + ANSWERS + LIST + OK;
  for (const size of [1, 2, 3, 7, 50, 10_000]) {
    const exchange = openStream(teamspeak2);
    const text = Buffer.from(whole);
    let last: Step = { kind: 'more' };
    for (let at = 0; at < text.length; at += size) last = exchange.receive(text.subarray(at, at + size));
    assert.deepEqual(statusOf(last), { ...STATUS, playerList: PLAYERS }, `in pieces of ${size}`);
  }
});

test('TeamSpeak 2: does not request the players of an empty server', () => {
  const empty = ANSWERS.replace('currentusers=2', 'currentusers=0');
  assert.deepEqual(statusOf(say(greeted(), empty)), { ...STATUS, players: 0 });
});

test('TeamSpeak 2: reports a status without a version if the server refuses the command `gi`, which requests the version', () => {
  const refused = `${OK}${INFO}${OK}ERROR, invalid command\r\n`;
  const exchange = greeted();
  assert.deepEqual(packetsOf(say(exchange, refused)), [Buffer.from('pl\n')]);
  assert.equal(exchange.partial()?.version, undefined);
});

test('TeamSpeak 2: reports the status without a player list if the list is refused, malformed or missing', () => {
  for (const list of [`ERROR, invalid\r\n`, lines('p_id\tping', '1\t2') + OK, lines('p_id\tnick', '1') + OK])
    assert.deepEqual(statusOf(say(informed(), list)), STATUS);
  assert.deepEqual(informed().partial(), STATUS);
});

test('TeamSpeak 2: rejects the greeting of another service, an error reply, an invalid info, and too many lines or bytes', () => {
  for (const text of [
    'TS3\n\r',
    `${GREETING}ERROR, invalid id\r\n`,
    `${GREETING}${OK}ERROR, not selected\r\n`,
    `${GREETING}${OK}${INFO.replace('server_name', 'server_title')}${OK}`,
    `${GREETING}${OK}${INFO.replace('maxusers=250', 'maxusers=many')}${OK}`,
    `${GREETING}${OK}${INFO.replace('currentusers=2', 'currentusers=-1')}${OK}`,
    GREETING + 'x\n'.repeat(4097),
    'x'.repeat(256 * 1024 + 1),
  ]) {
    assert.equal(say(openStream(teamspeak2), text).kind, 'malformed', text.slice(0, 60));
  }
});
