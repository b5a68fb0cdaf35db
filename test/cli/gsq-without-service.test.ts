import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, test } from 'node:test';
import { closedPort } from './closed-port.ts';
import { gsq } from './gsq-command.ts';

const root = resolve(import.meta.dirname, '../..');

describe('gsq without a running core', () => {
  test('prints the version of the npm package if the option is --version', async () => {
    const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string };
    assert.deepEqual(await gsq({}, '--version'), { status: 0, out: `gsq ${version}\n`, talk: '' });
  });

  test('prints every command with its help text if the option is --help', async () => {
    const { status, out } = await gsq({}, '--help');
    assert.equal(status, 0);
    const names = [...out.matchAll(/^ {2}(\S+(?: \S+)?) {2,}/gm)].map(([, name]) => name ?? '');
    assert.deepEqual(names, [
      'start',
      'token create',
      'token list',
      'token revoke',
      'token rotate',
      'token allow',
      'token expire',
      'token usage',
      'token check',
      'servers list',
      'servers add',
      'servers remove',
      'servers list-publicly',
      'servers import',
      'servers export',
      'webhooks list',
      'webhooks add',
      'webhooks show',
      'webhooks log',
      'webhooks test',
      'webhooks remove',
      'games',
      'stats',
      'top',
      'backup',
      'restore',
      'migrate',
      'doctor',
      'completion',
      'query',
    ]);
    for (const name of names) {
      const help = await gsq({}, ...name.split(' '), '--help');
      assert.equal(help.status, 0, name);
      assert.match(help.out, new RegExp(`^Usage: (?:npx )?gsq ${name}\\b`), name);
    }
    const group = await gsq({}, 'token', '--help');
    assert.equal(group.status, 0);
    assert.doesNotMatch(group.out, /servers list/);
  });

  const misuses: [args: string[], why: RegExp][] = [
    [[], /a command is missing/],
    [['nix'], /no command "nix"/],
    [['constructor'], /no command "constructor"/],
    [['token'], /the command "token" needs a subcommand/],
    [['token', 'nix'], /there is no command "token nix"/],
    [['games', 'rust', 'x'], /at most one word/],
    [['games', '--nix'], /^gsq: there is no option --nix$/m],
    [['games', '-x'], /^gsq: there is no option -x$/m],
    [['games', '--constructor'], /there is no option --constructor/],
    [['games', '--json=1'], /--json takes no value/],
    [['games', '--grpc-addr', '--json'], /--grpc-addr needs a value/],
    [['--json', 'games'], /write options after the command/],
    [['token', '--json', 'list'], /write options after the command/],
    [['token', 'create'], /--email is needed/],
    [['token', 'create', '--email'], /--email needs a value/],
    [['token', 'create', '--email', 'a@b.example', '--type', 'GOLD'], /--type must be/],
    [['token', 'create', '--email', 'a@b.example', '--type', 'FREE', 'x'], /unexpected argument "x"/],
    [['token', 'create', '--email', 'a@b.example', '--type', 'FREE', '--expires-in', '30'], /12h or 30d/],
    [['token', 'create', '--email', 'a@b.example', '--type', 'FREE', '--expires-in', '0d'], /12h or 30d/],
    [['token', 'revoke'], /id of one token/],
    [['token', 'revoke', 'a', 'b'], /id of one token/],
    [['token', 'list', 'x'], /takes no argument/],
    [['servers', 'list', 'rust'], /--game/],
    [['stats', 'rust'], /takes no argument/],
    [['top', '--json'], /there is no option --json/],
    [['servers', 'add', 'rust'], /at least one address/],
    [['servers', 'remove'], /at least one address/],
    [['servers', 'add', 'palworld', '192.0.2.1:8212', '--option', 'guild'], /write --option as name=value/],
    [['servers', 'add', 'palworld', '192.0.2.1:8212', '--option', '1=2'], /write --option as name=value/],
    [
      ['servers', 'add', 'palworld', '192.0.2.1:8212', '--secret-file', '/nowhere'],
      /there is no file \/nowhere/,
    ],
    [['servers', 'add', 'palworld', '192.0.2.1:8212', '--no-secret', '--secret-file', 'x'], /not both/],
    [['webhooks'], /the command "webhooks" needs a subcommand/],
    [['webhooks', 'tset', 'x'], /did you mean "(?:npx )?gsq webhooks test"/],
    [['webhooks', 'show'], /the id of one webhook/],
    [['webhooks', 'list', 'x'], /takes no argument/],
    [['webhooks', 'add', '--url', 'https://a.example'], /--token is needed/],
    [['webhooks', 'add', '--token', 't', '--event', 'online'], /either --server or --game/],
    [['webhooks', 'add', '--token', 't', '--game', 'csgo'], /at least one --event/],
    [['webhooks', 'add', '--token', 't', '--game', 'csgo', '--event', 'map'], /either --url or --url-file/],
    [['webhooks', 'add', '--token', 't', '--game', 'csgo', '--one-message'], /needs --form discord/],
    [['webhooks', 'add', '--form', 'disocrd'], /json or discord; did you mean discord\?/],
    [['webhooks', 'add', '--server', '127.0.0.1:27015'], /the game, a slash and the address/],
    [['webhooks', 'add', '--event', 'ofline:3m'], /no event "ofline"; did you mean online or offline/],
    [['webhooks', 'add', '--event', 'players_over'], /players_over needs a number/],
    [['webhooks', 'add', '--event', 'full=3'], /full takes no number/],
    [['webhooks', 'add', '--event', 'x y'], /"x y" is not valid; write one of online, offline/],
    [['query', 'rust'], /a game and one address/],
    [
      ['tokn', 'list'],
      /no command "tokn"; did you mean "(?:npx )?gsq token list"\?\nSee: (?:npx )?gsq --help$/m,
    ],
    [['tokn'], /did you mean "(?:npx )?gsq token --help"\?/],
    [
      ['list'],
      /did you mean "(?:npx )?gsq token list" or "(?:npx )?gsq servers list" or "(?:npx )?gsq webhooks list"\?/,
    ],
    [['games', '--jsno'], /no option --jsno; did you mean --json\?/],
    [['servers', 'list', '--gaem', 'rust'], /did you mean --game\?/],
    [['token', 'list', '--internal-adr', 'x'], /did you mean --internal-addr\?/],
    [['completion', 'csh'], /name one shell/],
    [['start', 'now'], /unexpected argument "now"/],
  ];
  for (const [args, why] of misuses) {
    test(`treats "gsq ${args.join(' ')}" as a usage error, with exit status 2`, async () => {
      const { status, out, talk } = await gsq({}, ...args);
      assert.equal(status, 2);
      assert.equal(out, '');
      assert.match(talk, why);
      assert.match(talk, /--help/);
    });
  }

  test('exits with 3 if a setting is invalid', async () => {
    for (const result of [
      await gsq({ GSQ_NIX: '1' }, 'games'),
      await gsq({}, 'games', '--grpc-addr', 'x'),
      await gsq({ GSQ_PROBE_INTERVAL: '1' }, 'start'),
    ]) {
      assert.equal(result.status, 3, result.talk);
      assert.match(result.talk, /^gsq: GSQ_/);
    }
  });

  test('exits with code 5; prints which address did not answer, and how to start the service', async () => {
    const address = `127.0.0.1:${await closedPort()}`;
    for (const args of [
      ['games'],
      ['token', 'list'],
      ['stats'],
      ['top'],
      ['servers', 'list', '--json'],
      ['servers', 'export'],
      ['webhooks', 'list'],
      ['servers', 'add', 'rust', '192.0.2.1:28015'],
    ]) {
      const { status, out, talk } = await gsq({ GSQ_INTERNAL_ADDR: address }, ...args);
      assert.equal(status, 5, talk);
      assert.equal(out, '');
      assert.ok(talk.startsWith(`gsq: no answer from the core at ${address} (connection refused)\n`), talk);
      assert.match(talk, /^Start the service with "(?:npx )?gsq start"/m);
      assert.match(talk, /GSQ_INTERNAL_ADDR/);
    }
  });
});
