import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { parseCatalog } from '../../proto/catalog.ts';
import {
  accessRule,
  givenQueryPort,
  missingAccess,
  neededAccess,
  optionFault,
  secretFault,
  takenAccess,
} from '../../proto/game-access.ts';

const path = new URL('../../catalog.json', import.meta.url);
const games = parseCatalog(readFileSync(path, 'utf8'), 'catalog.json');

test('in catalog.json, the field `needs` of each game says whether its protocol requires credentials or an option', () => {
  for (const { id, protocol, needs } of games)
    assert.deepEqual(
      needs.filter(need => need !== 'directory'),
      neededAccess(protocol),
      id,
    );
  const needing = games.filter(({ needs }) => needs.includes('credentials')).map(({ id }) => id);
  for (const id of ['palworld', 'farmingsimulator25', 'trackmania2']) assert.ok(needing.includes(id), id);
  assert.ok(games.find(({ id }) => id === 'discord')?.needs.includes('option'));
});

test('missingAccess() says which secret or option gsq still needs to query a game server', () => {
  const none = new Map<string, string>();
  assert.deepEqual(missingAccess('palworld', '', none), { need: 'credentials', what: 'a secret' });
  assert.equal(missingAccess('palworld', 'x', undefined), undefined);
  assert.deepEqual(missingAccess('discord', '', undefined), { need: 'option', what: 'the option guild' });
  assert.equal(missingAccess('discord', '', new Map([['guild', '123456789012345678']])), undefined);
  assert.equal(
    missingAccess('terraria', '', none),
    undefined,
    'TShock asks for a token only where it is told to',
  );
  assert.equal(missingAccess('a2s', '', none), undefined);
});

test('the secret of a game server is refused if the protocol does not use secrets or if the secret is invalid', () => {
  assert.match(secretFault('a2s', 'hunter2') ?? '', /take no secret/);
  assert.equal(secretFault('palworld', 'hunter2 ☃'), undefined);
  assert.equal(secretFault('palworld', '☃'.repeat(1365)), undefined);
  for (const secret of ['', 'a\nb', 'a\r', 'a\0', '\u2028', '\ud800', '\ufffd', '☃'.repeat(1366)]) {
    const fault = secretFault('palworld', secret);
    assert.ok(fault, JSON.stringify(secret));
    assert.ok(secret === '' || !fault.includes(secret));
  }
});

test('a server option is refused if its value is invalid or if the protocol does not use it; an empty value is accepted', () => {
  const good = [
    ['a2s', 'query_port', '27016'],
    ['discord', 'guild', '123456789012345678'],
    ['palworld', 'username', 'admin'],
    ['satisfactory', 'verify_tls', 'yes'],
    ['scpsl', 'server_id', 'Ab-1_2'],
    ['discord', 'guild', ''],
    ['a2s', 'guild', ''],
  ] as const;
  for (const [protocol, name, value] of good)
    assert.equal(optionFault(protocol, name, value), undefined, name);
  const bad = [
    ['a2s', 'query_port', '80'],
    ['a2s', 'query_port', '70000'],
    ['a2s', 'query_port', '-1'],
    ['a2s', 'guild', '1'],
    ['discord', 'guild', '../../345678901234567'],
    ['scpsl', 'server_id', 'a/b'],
    ['scpsl', 'server_id', 'a'.repeat(65)],
    ['scpsl', 'account_id', '1&x=2'],
    ['discord', 'guild', '1'],
    ['palworld', 'username', 'a:b'],
    ['teamspeak3', 'username', 'a\nb'],
    ['palworld', 'username', 'a'.repeat(257)],
    ['satisfactory', 'verify_tls', 'true'],
    ['palworld', '__proto__', 'x'],
    ['palworld', 'constructor', ''],
  ] as const;
  for (const [protocol, name, value] of bad)
    assert.ok(optionFault(protocol, name, value), `${name}=${value}`);
  assert.match(
    optionFault('palworld', 'gild', '1') ?? '',
    /take no option "gild", only username, query_port/,
  );
});

test('takenAccess() omits a stored secret or option if the protocol of the game server does not use it', () => {
  const stored = {
    secret: 'x',
    options: new Map([
      ['guild', '1'],
      ['query_port', '27016'],
    ]),
  };
  assert.deepEqual(takenAccess('a2s', stored), { secret: '', options: new Map([['query_port', '27016']]) });
  assert.deepEqual(takenAccess('palworld', stored).secret, 'x');
  assert.deepEqual(takenAccess('discord', stored), { ...stored, secret: '' });
  assert.equal(givenQueryPort(stored.options), 27016);
  assert.equal(givenQueryPort(new Map()), undefined);
  assert.deepEqual(accessRule('constructor'), { options: {} });
});
