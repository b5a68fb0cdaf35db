import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { directories, directoryOf } from '../../prober/directories/registry.ts';
import { protocols } from '../../prober/protocols/registry.ts';
import { parseCatalog } from '../../proto/catalog.ts';
import { accessRule } from '../../proto/game-access.ts';

const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');
const page = read('docs/protocols.md');
const games = parseCatalog(read('catalog.json'), 'catalog.json');

test('docs/protocols.md lists each protocol of gsq with transport and number of games, and has a section for each protocol', () => {
  const listed = [...page.matchAll(/^\| `(\w+)` \| (UDP|TCP) \| .* \| (\d+) \|$/gm)].map(row => row.slice(1));
  const expected = [...protocols].map(([name, { transport }]) => [
    name,
    transport.toUpperCase(),
    String(games.filter(game => game.protocol === name).length),
  ]);
  assert.deepEqual(listed, expected);
  for (const name of protocols.keys()) assert.match(page, new RegExp(`^###? ${name}$`, 'm'));
});

test('docs/protocols.md lists the protocols that gsq queries through gamedig, with the number of their games', () => {
  const others = games.filter(({ protocol }) => !protocols.has(protocol) && !directoryOf(protocol));
  const names = [...new Set(others.map(game => game.protocol))].sort();
  const [, count, kinds] = /other (\d+)\s+games, of\s+(\d+)\s+protocols/.exec(page) ?? [];
  assert.deepEqual([Number(count), Number(kinds)], [others.length, names.length]);
  const [, list = ''] = /^\[gamedig\]\S+ queries ([^.]*)\./m.exec(page) ?? [];
  assert.deepEqual(list.split(/,\s+/), names);
});

test('docs/protocols.md lists the secrets and options that protocols accept, and marks the required ones', () => {
  const [, section = ''] = /## Passwords and options\n(.*?)\n## /s.exec(page) ?? [];
  const rows = [...section.matchAll(/^\| `(\w+)` \|(?: (needed|taken))?[^|]*\| (.*)\|$/gm)];
  const told = rows.map(([, protocol, secret, options = '']) => {
    const names = options.split(' · ').flatMap(each => {
      const [, name, needed] = /^`(\w+)[^`]*`(, needed)?/.exec(each.trim()) ?? [];
      return name === undefined ? [] : [[name, needed ? 'needed' : 'taken']];
    });
    return [protocol, { ...(secret !== undefined && { secret }), options: Object.fromEntries(names) }];
  });
  const all = [...new Set(games.map(({ protocol }) => protocol))].sort();
  const rules = all.map(protocol => [protocol, accessRule(protocol)] as const);
  assert.deepEqual(
    told,
    rules.filter(([, { secret, options }]) => secret !== undefined || Object.keys(options).length > 0),
  );
});

test('docs/protocols.md describes each directory (server list of a game publisher) in a table row and a section', () => {
  const listed = [...page.matchAll(/^\| `(\w+)` \| ([\w, ]+) \| (\d+) \| ([\w, -]+) \| (\d+) \|$/gm)];
  const expected = directories.map(({ name, protocols, kind, perMinute, objection }) => [
    name,
    protocols.join(', '),
    String(games.filter(game => game.directory === name).length),
    objection === undefined ? kind : `${kind}, only if opted in`,
    String(perMinute),
  ]);
  assert.deepEqual(
    listed.map(row => row.slice(1)),
    expected,
  );
  for (const { name, objection } of directories) {
    assert.match(page, new RegExp(`^### ${name}$`, 'm'));
    if (objection !== undefined) assert.ok(page.includes(`GSQ_DIRECTORY_OPT_IN=${name}`), name);
  }
  const [, count] = /servers of (\d+) games are looked up/.exec(page) ?? [];
  assert.equal(Number(count), games.filter(({ directory }) => directory !== undefined).length);
});

test('docs/protocols.md lists each game with protocol, query method (own, directory or gamedig) and required settings', () => {
  const row = /^\| `([a-z0-9]+)` \| (.+) \| `(\w+)` \| \[(own|directory|gamedig)\]\(#(\w+)\) \| (.*) \|$/gm;
  const rows = [...page.matchAll(row)].map(found => found.slice(1));
  const expected = games.map(({ id, name, protocol, needs }) => {
    const directory = directoryOf(protocol)?.name;
    const byOthers = directory === undefined ? ['gamedig', 'gamedig'] : ['directory', directory];
    const asked = protocols.has(protocol) ? ['own', protocol] : byOthers;
    return [id, name, protocol, ...asked, needs.join(', ')];
  });
  assert.deepEqual(rows, expected);
  assert.ok(rows.length >= 400, `${rows.length} games`);
});
