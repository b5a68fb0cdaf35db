import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join, resolve } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { type Fleet, startFleet } from '../../cli/demo/fleet.ts';
import { demoPlan } from '../../cli/demo/fleet-plan.ts';
import { runGsq } from '../../cli/dispatch.ts';
import { scriptArguments } from '../../runtime/script.ts';
import { GameApi, palworld } from '../system/game-apis.ts';
import { scratchDirectory } from '../system/scratch-directory.ts';
import { ServiceProcess } from '../system/stack.ts';
import { keepSecret } from '../system/transcript.ts';

const root = resolve(import.meta.dirname, '../..');
const SECRET = 'a secret of the internal port';

/** The password of a game server. */
const SERVER_SECRET = 'a-password-of-a-game-server';
keepSecret(SERVER_SECRET);

/** Creates a file that contains a secret and a line end, as editors write it. Returns its path. */
function secretFile(secret: string): string {
  const path = join(scratchDirectory(), 'secret');
  writeFileSync(path, `${secret}\n`, { mode: 0o600 });
  return path;
}

interface Result {
  status: number;
  out: string;
  talk: string;
}

async function gsq(env: Record<string, string>, ...args: string[]): Promise<Result> {
  let out = '';
  let talk = '';
  const status = await runGsq(args, {
    env: { PATH: process.env.PATH, GSQ_CATALOG: join(root, 'catalog.json'), ...env },
    out: text => {
      out += text;
    },
    talk: line => {
      talk += `${line}\n`;
    },
  });
  return { status, out, talk };
}

/** Returns a loopback port on which no process listens. */
async function closedPort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  return typeof address === 'object' && address !== null ? address.port : 0;
}

describe('gsq without a service', () => {
  test('--version prints the version of the package', async () => {
    const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string };
    assert.deepEqual(await gsq({}, '--version'), { status: 0, out: `gsq ${version}\n`, talk: '' });
  });

  test('--help lists every command, and each command has its own help', async () => {
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
      'games',
      'stats',
      'top',
      'backup',
      'restore',
      'doctor',
      'query',
    ]);
    for (const name of names) {
      const help = await gsq({}, ...name.split(' '), '--help');
      assert.equal(help.status, 0, name);
      assert.match(help.out, new RegExp(`^Usage: gsq ${name}\\b`), name);
    }
    const group = await gsq({}, 'token', '--help');
    assert.equal(group.status, 0);
    assert.doesNotMatch(group.out, /servers list/);
  });

  const misuses: [args: string[], why: RegExp][] = [
    [[], /a command is needed/],
    [['nix'], /no command "nix"/],
    [['constructor'], /no command "constructor"/],
    [['token'], /token needs one of its commands/],
    [['token', 'nix'], /token needs one of its commands/],
    [['games', 'rust'], /takes no argument/],
    [['games', '--nix'], /^gsq: there is no option --nix$/m],
    [['games', '-x'], /^gsq: there is no option -x$/m],
    [['games', '--constructor'], /there is no option --constructor/],
    [['games', '--json=1'], /--json takes no value/],
    [['games', '--grpc-addr', '--json'], /--grpc-addr needs a value/],
    [['--json', 'games'], /options come after the command/],
    [['token', '--json', 'list'], /options come after the command/],
    [['token', 'create'], /--email is needed/],
    [['token', 'create', '--email'], /--email needs a value/],
    [['token', 'create', '--email', 'a@b.example', '--type', 'GOLD'], /--type must be/],
    [['token', 'create', '--email', 'a@b.example', '--type', 'FREE', 'x'], /"x" belongs to no option/],
    [['token', 'create', '--email', 'a@b.example', '--type', 'FREE', '--expires-in', '30'], /such as 30d/],
    [['token', 'create', '--email', 'a@b.example', '--type', 'FREE', '--expires-in', '0d'], /such as 30d/],
    [['token', 'revoke'], /id of one token/],
    [['token', 'revoke', 'a', 'b'], /id of one token/],
    [['token', 'list', 'x'], /takes no argument/],
    [['servers', 'list', 'rust'], /--game/],
    [['stats', 'rust'], /takes no argument/],
    [['top', '--json'], /there is no option --json/],
    [['servers', 'add', 'rust'], /at least one address/],
    [['servers', 'remove'], /at least one address/],
    [['servers', 'add', 'palworld', '192.0.2.1:8212', '--option', 'guild'], /--option is written name=value/],
    [['servers', 'add', 'palworld', '192.0.2.1:8212', '--option', '1=2'], /--option is written name=value/],
    [
      ['servers', 'add', 'palworld', '192.0.2.1:8212', '--secret-file', '/nowhere'],
      /there is no file \/nowhere/,
    ],
    [
      ['servers', 'add', 'palworld', '192.0.2.1:8212', '--no-secret', '--secret-file', 'x'],
      /exclude each other/,
    ],
    [['query', 'rust'], /a game and one address/],
    [['start', 'now'], /"now" belongs to no option/],
  ];
  for (const [args, why] of misuses) {
    test(`"gsq ${args.join(' ')}" is a usage error: it exits with 2 and prints nothing to stdout`, async () => {
      const { status, out, talk } = await gsq({}, ...args);
      assert.equal(status, 2);
      assert.equal(out, '');
      assert.match(talk, why);
      assert.match(talk, /--help/);
    });
  }

  test('a command exits with 3 if a setting is invalid', async () => {
    for (const result of [
      await gsq({ GSQ_NIX: '1' }, 'games'),
      await gsq({}, 'games', '--grpc-addr', 'x'),
      await gsq({ GSQ_PROBE_INTERVAL: '1' }, 'start'),
    ]) {
      assert.equal(result.status, 3, result.talk);
      assert.match(result.talk, /^gsq: GSQ_/);
    }
  });

  test('a command exits with 5 if the core does not answer, and prints its address and how to start the service', async () => {
    const address = `127.0.0.1:${await closedPort()}`;
    for (const [args, setting] of [
      [['games'], 'GSQ_GRPC_ADDR'],
      [['token', 'list'], 'GSQ_INTERNAL_ADDR'],
      [['stats'], 'GSQ_INTERNAL_ADDR'],
      [['top'], 'GSQ_INTERNAL_ADDR'],
      [['servers', 'list', '--json'], 'GSQ_INTERNAL_ADDR'],
      [['servers', 'add', 'rust', '192.0.2.1:28015'], 'GSQ_INTERNAL_ADDR'],
    ] as const) {
      const { status, out, talk } = await gsq({ [setting]: address }, ...args);
      assert.equal(status, 5, talk);
      assert.equal(out, '');
      assert.ok(talk.startsWith(`gsq: no answer from the core at ${address} (connection refused)\n`), talk);
      assert.match(talk, /npm start/);
      assert.ok(talk.includes(setting), talk);
    }
  });
});

describe('gsq query', () => {
  let fleet: Fleet;
  const plan = demoPlan.find(({ protocol }) => protocol === 'quake3');
  assert.ok(plan);
  before(async () => {
    fleet = await startFleet({ plan: [{ ...plan, port: 0 }], now: Date.now, random: Math.random });
  });
  after(() => fleet.stop());
  const address = (): string => fleet.servers[0]?.address ?? '';

  test('prints the status of a server', async () => {
    const { status, out, talk } = await gsq({}, 'query', plan.gameId, address());
    assert.equal(status, 0, talk);
    assert.match(out, new RegExp(`^name +${plan.name.replace('|', '\\|')}$`, 'm'));
    assert.match(out, new RegExp(`^players +${plan.players}$`, 'm'));
    assert.match(out, /^PLAYER +SCORE +TIME$/m);
    assert.match(out, /^AmberBadger +0 +\d+ s$/m);
  });

  test('prints JSON with the option --json', async () => {
    const { status, out } = await gsq({}, 'query', plan.gameId, address(), '--json');
    assert.equal(status, 0);
    const answer = JSON.parse(out) as {
      online: boolean;
      server: string;
      payload: { name: string; connect: string };
    };
    assert.equal(answer.online, true);
    assert.equal(answer.server, address());
    assert.deepEqual([answer.payload.name, answer.payload.connect], [plan.name, address()]);
  });

  test('exits with 1 if the server refuses the connection', async () => {
    const silent = `127.0.0.1:${await closedPort()}`;
    const human = await gsq({}, 'query', 'minecraft', silent);
    assert.equal(human.status, 1, human.talk);
    assert.match(human.out, /^\S+ +refused +connection refused$/m);
    const json = await gsq({}, 'query', 'minecraft', silent, '--json');
    assert.equal(json.status, 1);
    assert.deepEqual(JSON.parse(json.out), {
      online: false,
      game_id: 'minecraft',
      server: silent,
      outcome: 'refused',
      message: 'connection refused',
    });
  });

  test('uses a secret from a file and options, and reports if a secret or option is missing or wrong', async () => {
    const api = await GameApi.start(palworld(SERVER_SECRET));
    try {
      const ask = (...args: string[]) => gsq({}, 'query', 'palworld', api.address, '--json', ...args);
      const shown = await gsq({}, 'query', 'palworld', api.address);
      assert.equal(shown.status, 1);
      assert.match(shown.out, /^\S+ +needs_credentials +cannot be asked without a secret$/m);
      const none = await ask();
      assert.deepEqual([none.status, api.requests], [1, []]);
      assert.equal((JSON.parse(none.out) as { outcome: string }).outcome, 'needs_credentials');
      const found = await ask(
        '--secret-file',
        secretFile(SERVER_SECRET),
        '--option',
        `query_port=${api.port}`,
      );
      assert.equal(found.status, 0, found.out + found.talk);
      assert.equal((JSON.parse(found.out) as { payload: { name: string } }).payload.name, 'Pal Island');
      const wrong = await ask('--secret-file', secretFile('another secret'));
      assert.equal((JSON.parse(wrong.out) as { outcome: string }).outcome, 'needs_credentials');
      const misuse = await ask('--option', 'guild=123456789012345678');
      assert.equal(misuse.status, 2);
      assert.match(misuse.talk, /take no option "guild", only username, query_port/);
    } finally {
      api.stop();
    }
  });

  test('reports the outcome refused for a closed UDP port', async () => {
    // The operating system never assigns this port, so no process listens on it.
    const closed = '127.0.0.1:27099';
    const { status, out, talk } = await gsq({}, 'query', plan.gameId, closed, '--json');
    assert.equal(status, 1, talk);
    assert.deepEqual(JSON.parse(out), {
      online: false,
      game_id: plan.gameId,
      server: closed,
      outcome: 'refused',
      message: 'connection refused',
    });
  });

  test('exits with 2 if the game is unknown or the address is malformed, and with 3 if a setting is invalid', async () => {
    assert.equal((await gsq({}, 'query', 'nix', address())).status, 2);
    const malformed = await gsq({}, 'query', plan.gameId, '127.0.0.1');
    assert.equal(malformed.status, 2);
    assert.match(malformed.talk, /no port/);
    assert.equal((await gsq({ GSQ_CATALOG: '/nonexistent' }, 'query', plan.gameId, address())).status, 3);
  });
});

describe('gsq with a core', () => {
  const folder = scratchDirectory();
  let core: ServiceProcess;
  let env: Record<string, string> = {};

  before(async () => {
    core = await ServiceProcess.start('core', {
      GSQ_GRPC_ADDR: '127.0.0.1:0',
      GSQ_INTERNAL_ADDR: '127.0.0.1:0',
      GSQ_CORE_OPS_ADDR: '127.0.0.1:0',
      GSQ_INTERNAL_SECRET: SECRET,
      GSQ_ALLOW_TARGETS: '127.0.0.0/8',
    });
    const { GSQ_GRPC_ADDR = '', GSQ_INTERNAL_ADDR = '' } = core.ready.addresses;
    env = { GSQ_GRPC_ADDR, GSQ_INTERNAL_ADDR, GSQ_INTERNAL_SECRET: SECRET };
  });
  after(() => core.child.stop());

  test('games prints the game catalog', async () => {
    const { status, out, talk } = await gsq(env, 'games');
    assert.equal(status, 0, talk);
    assert.match(out, /^ID +NAME\n/);
    assert.match(out, /^minecraft +Minecraft$/m);
    const json = await gsq(env, 'games', '--json');
    const games = JSON.parse(json.out) as { id: string; name: string }[];
    assert.ok(games.length > 300);
    assert.deepEqual(Object.keys(games[0] ?? {}), ['id', 'name']);
  });

  test('the address of the core can be passed as a flag', async () => {
    const { status, talk } = await gsq({}, 'games', `--grpc-addr=${env.GSQ_GRPC_ADDR}`);
    assert.equal(status, 0, talk);
  });

  test('a token can be created, listed without its secret, and revoked', async () => {
    const made = await gsq(
      env,
      ...['token', 'create', '--email', 'Ann@Example.com', '--type', 'PRO', '--expires-in', '30d'],
      ...['--allow-ip', '192.0.2.0/24', '--allow-ip', '198.51.100.7', '--allow-domain', 'example.com'],
    );
    assert.equal(made.status, 0, made.talk);
    const secret = made.out.trim();
    assert.match(secret, /^\S{16,}$/);
    assert.doesNotMatch(made.talk, new RegExp(secret));

    const listed = await gsq(env, 'token', 'list', '--json');
    assert.equal(listed.status, 0);
    assert.ok(!listed.out.includes(secret));
    interface Listed {
      id: string;
      type: string;
      email: string;
      created_at: string;
      expires_at: string;
      revoked_at: string | null;
      allow_ips: string[];
      allow_domains: string[];
      used: number;
    }
    const token = (JSON.parse(listed.out) as Listed[]).find(({ email }) => /^ann@example\.com$/i.test(email));
    assert.ok(token, listed.out);
    assert.equal(token.type, 'PRO');
    const lifetime = Date.parse(token.expires_at) - Date.parse(token.created_at);
    assert.ok(Math.abs(lifetime - 30 * 86_400_000) < 60_000, `${lifetime}`);
    assert.deepEqual(token.allow_ips.length, 2);
    assert.deepEqual(token.allow_domains, ['example.com']);
    assert.equal(token.revoked_at, null);
    assert.equal(token.used, 0);

    const human = await gsq(env, 'token', 'list');
    assert.match(human.out, /^ID +TYPE +E-MAIL +STATE +USED 24 H +LAST USED +EXPIRES +ALLOWED FROM\n/);
    assert.match(human.out, new RegExp(`^${token.id} +PRO +\\S+ +live +0 `, 'm'));
    assert.match(human.out, / {2}\S+, \S+, example\.com$/m);

    const revoked = await gsq(env, 'token', 'revoke', token.id);
    assert.equal(revoked.status, 0, revoked.talk);
    const again = await gsq(env, 'token', 'revoke', token.id, '--json');
    assert.equal(again.status, 0, 'revoking twice is no error');
    assert.notEqual((JSON.parse(again.out) as Listed).revoked_at, null);
    assert.match((await gsq(env, 'token', 'list')).out, new RegExp(`^${token.id} .* revoked `, 'm'));
  });

  test('token create --json prints the secret and the token', async () => {
    const { status, out } = await gsq(env, ...['token', 'create', '--email', 'b@example.com', '--json']);
    assert.equal(status, 0);
    const made = JSON.parse(out) as { secret: string; token: { type: string; expires_at: null } };
    assert.equal(made.token.type, 'FREE');
    assert.equal(made.token.expires_at, null);
    assert.ok(made.secret.length >= 16);
  });

  test('an error of the core is printed, and the exit status depends on its kind', async () => {
    const unknown = await gsq(env, 'token', 'revoke', 'nix');
    assert.equal(unknown.status, 1);
    const bad = await gsq(env, 'token', 'create', '--email', 'no-mail', '--type', 'FREE');
    assert.equal(bad.status, 2);
    assert.notEqual(bad.talk, '');
  });

  test('a command exits with 4 if the internal secret is missing or wrong', async () => {
    const { GSQ_INTERNAL_SECRET: _, ...bare } = env;
    assert.equal((await gsq(bare, 'token', 'list')).status, 4);
    assert.equal((await gsq({ ...env, GSQ_INTERNAL_SECRET: `${SECRET}.` }, 'token', 'list')).status, 4);
    const file = join(folder, 'secret');
    writeFileSync(file, `${SECRET}\n`, { mode: 0o600 });
    assert.equal((await gsq(bare, 'token', 'list', '--internal-secret-file', file)).status, 0);
  });

  test('servers can be added, listed by page and by game, and removed', async () => {
    const many = Array.from({ length: 900 }, (_, i) => `127.0.0.1:${20_000 + i}`);
    const added = await gsq(env, 'servers', 'add', 'csgo', ...many);
    assert.equal(added.status, 0, added.talk);
    assert.match(added.out, /^127\.0\.0\.1:20000 +added$/m);
    const more = await gsq(env, 'servers', 'add', 'cs2', ...many, '--json');
    assert.equal(more.status, 0, more.talk);
    assert.equal((JSON.parse(more.out) as { auto_inserted: number }).auto_inserted, 900);
    const again = await gsq(env, 'servers', 'add', 'csgo', '127.0.0.1:20000', '127.0.0.1:30000');
    assert.match(again.out, /^127\.0\.0\.1:20000 +tracked already\n127\.0\.0\.1:30000 +added\n$/);

    const all = await gsq(env, 'servers', 'list', '--json');
    assert.equal(all.status, 0);
    const servers = JSON.parse(all.out) as { game_id: string; server: string; status: string; name: null }[];
    assert.equal(servers.length, 1801);
    assert.equal(new Set(servers.map(({ game_id, server }) => `${game_id} ${server}`)).size, 1801);
    assert.equal(servers[0]?.status, 'pending');
    assert.equal(servers[0]?.name, null);

    const human = await gsq(env, 'servers', 'list', '--game', 'csgo');
    const lines = human.out.trimEnd().split('\n');
    assert.equal(lines.length, 902);
    assert.match(lines[0] ?? '', /^GAME +SERVER +STATUS +REASON +PLAYERS +LAST ONLINE +ASKED WITH +NAME$/);
    assert.match(lines[1] ?? '', /^csgo +127\.0\.0\.1:20000 +pending +unprobed +- +never +- +-$/);

    const removed = await gsq(env, 'servers', 'remove', 'csgo', '127.0.0.1:20000', '127.0.0.1:1');
    assert.equal(removed.status, 1);
    assert.match(removed.out, /^127\.0\.0\.1:20000 +removed\n127\.0\.0\.1:1 +not tracked\n$/);
    const json = await gsq(env, 'servers', 'remove', 'csgo', '127.0.0.1:20001', '--json');
    assert.equal(json.status, 0);
    assert.deepEqual(JSON.parse(json.out), { removed: [{ game_id: 'csgo', server: '127.0.0.1:20001' }] });
    assert.equal((await gsq(env, 'servers', 'list', '--game', 'csgo')).out.trimEnd().split('\n').length, 900);
  });

  test('the secret and options of a server can be stored and removed, and a list shows only their names', async () => {
    const add = (...args: string[]) => gsq(env, 'servers', 'add', 'palworld', '127.0.0.1:8212', ...args);
    const listed = async (): Promise<unknown> => {
      const { out } = await gsq(env, 'servers', 'list', '--game', 'palworld', '--json');
      const [server] = JSON.parse(out) as { secret: boolean; options: string[] }[];
      return [server?.secret, server?.options];
    };
    const file = secretFile(SERVER_SECRET);
    const first = await add('--secret-file', file, '--option', 'username=ann', '--option', 'query_port=8300');
    assert.equal(first.status, 0, first.talk);
    assert.match(first.out, /^127\.0\.0\.1:8212 +added, what it is asked with is stored$/m);
    const human = await gsq(env, 'servers', 'list', '--game', 'palworld');
    assert.match(human.out, / never +secret, query_port, username +-$/m);
    assert.ok(!`${first.out}${human.out}`.includes(SERVER_SECRET) && !human.out.includes('ann'));
    assert.deepEqual(await listed(), [true, ['query_port', 'username']]);
    await add('--option', 'username=');
    assert.deepEqual(await listed(), [true, ['query_port']]);
    await add();
    assert.deepEqual(await listed(), [true, ['query_port']], 'what is not named stays');
    await add('--no-secret', '--option', 'query_port=');
    assert.deepEqual(await listed(), [false, []]);
    const none = await gsq(env, 'servers', 'add', 'csgo', '127.0.0.1:27099', '--secret-file', file);
    assert.equal(none.status, 2);
    assert.match(none.talk, /^gsq: csgo: servers of this game take no secret$/m);
    chmodSync(file, 0o644);
    const open = await add('--secret-file', file);
    assert.equal(open.status, 2);
    assert.match(open.talk, /has mode 0644 and is open to others .* chmod 600/);
    await gsq(env, 'servers', 'remove', 'palworld', '127.0.0.1:8212');
  });

  test('servers list prints an empty JSON array or only the header line if there are no servers', async () => {
    assert.equal((await gsq(env, 'servers', 'list', '--game', 'rust', '--json')).out, '[]\n');
    assert.match((await gsq(env, 'servers', 'list', '--game', 'rust')).out, /^GAME .*\n$/);
  });

  test('servers list and servers remove exit with 2 if a game is unknown or an address is invalid, and remove nothing', async () => {
    for (const [args, why] of [
      [['list', '--game', 'nix'], /nix/],
      [['remove', 'nix', '127.0.0.1:20002'], /nix/],
      [['remove', 'csgo', '127.0.0.1:20002', 'foo'], /foo/],
    ] as const) {
      const { status, out, talk } = await gsq(env, 'servers', ...args);
      assert.equal(status, 2, talk);
      assert.equal(out, '');
      assert.match(talk, why);
    }
    const { out } = await gsq(env, 'servers', 'list', '--game', 'csgo');
    assert.match(out, /^csgo +127\.0\.0\.1:20002 /m, 'nothing is forgotten by a call that is refused');
  });

  test('servers add prints the reason for each refused server, and exits with 1', async () => {
    const { status, out } = await gsq(env, 'servers', 'add', 'csgo', '203.0.113.7:27015', 'nix');
    assert.equal(status, 1);
    assert.match(out, /^203\.0\.113\.7:27015 +refused: \S/m);
    const json = await gsq(env, 'servers', 'add', 'nix', '203.0.113.7:27015', '--json');
    const { invalid_servers: invalid } = JSON.parse(json.out) as { invalid_servers: { reason: string }[] };
    assert.deepEqual(
      invalid.map(({ reason }) => reason),
      ['unknown_game'],
    );
  });

  test('gsq prints data to stdout and errors to stderr, and works in any current directory', async () => {
    const run = (...args: string[]) =>
      new Promise<{ status: number | string | null; stdout: string; stderr: string }>(done => {
        const command = [...scriptArguments(join(root, 'cli/gsq.ts')), ...args];
        const options = { cwd: folder, env: { PATH: process.env.PATH, ...env } };
        execFile(process.execPath, command, options, (error, stdout, stderr) =>
          done({ status: error ? (error.code ?? null) : 0, stdout, stderr }),
        );
      });
    const good = await run('games', '--json');
    assert.equal(good.status, 0);
    assert.equal(good.stderr, '');
    assert.ok(Array.isArray(JSON.parse(good.stdout)));
    const bad = await run('nix');
    assert.equal(bad.status, 2);
    assert.equal(bad.stdout, '');
    assert.match(bad.stderr, /no command/);
  });
});
