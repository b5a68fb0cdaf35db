import assert from 'node:assert/strict';
import { chmodSync } from 'node:fs';
import { describe, test } from 'node:test';
import { gsq } from './gsq-command.ts';
import { withCore } from './running-core.ts';
import { SERVER_SECRET, secretFile } from './server-secret.ts';

describe('gsq servers with a running core', () => {
  const env = withCore();

  test('adds, lists and removes servers, and lists more servers than fit on one page', async () => {
    const many = Array.from({ length: 900 }, (_, i) => `127.0.0.1:${20_000 + i}`);
    const added = await gsq(env, 'servers', 'add', 'csgo', ...many);
    assert.equal(added.status, 0, added.talk);
    assert.match(added.out, /^127\.0\.0\.1:20000 +added$/m);
    const more = await gsq(env, 'servers', 'add', 'cs2', ...many, '--json');
    assert.equal(more.status, 0, more.talk);
    assert.equal((JSON.parse(more.out) as { auto_inserted: number }).auto_inserted, 900);
    const again = await gsq(env, 'servers', 'add', 'csgo', '127.0.0.1:20000', '127.0.0.1:30000');
    assert.match(again.out, /^127\.0\.0\.1:20000 +already tracked\n127\.0\.0\.1:30000 +added\n$/);

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
    assert.match(
      lines[0] ?? '',
      /^GAME +SERVER +STATUS +REASON +PLAYERS +LAST ONLINE +CREDENTIALS +INSERTED BY +NAME$/,
    );
    assert.match(lines[1] ?? '', /^csgo +127\.0\.0\.1:20000 +pending +unprobed +- +never +- +admin +-$/);

    const mine = await gsq(env, 'servers', 'list', '--inserted-by', 'admin', '--game', 'cs2', '--json');
    const insertedBy = (JSON.parse(mine.out) as { inserted_by: string }[]).map(
      ({ inserted_by }) => inserted_by,
    );
    assert.deepEqual(new Set(insertedBy), new Set(['admin']));
    assert.equal(insertedBy.length, 900);
    const theirs = await gsq(env, 'servers', 'list', '--inserted-by', 'tok_0123456789ab', '--json');
    assert.equal(theirs.out, '[]\n');

    const removed = await gsq(env, 'servers', 'remove', 'csgo', '127.0.0.1:20000', '127.0.0.1:1');
    assert.equal(removed.status, 1);
    assert.match(removed.out, /^127\.0\.0\.1:20000 +removed\n127\.0\.0\.1:1 +not tracked\n$/);
    const json = await gsq(env, 'servers', 'remove', 'csgo', '127.0.0.1:20001', '--json');
    assert.equal(json.status, 0);
    assert.deepEqual(JSON.parse(json.out), { removed: [{ game_id: 'csgo', server: '127.0.0.1:20001' }] });
    assert.equal((await gsq(env, 'servers', 'list', '--game', 'csgo')).out.trimEnd().split('\n').length, 900);
  });

  test('stores and removes the secret and the options of a server, and prints only the names of the options', async () => {
    const add = (...args: string[]) => gsq(env, 'servers', 'add', 'palworld', '127.0.0.1:8212', ...args);
    const listed = async (): Promise<unknown> => {
      const { out } = await gsq(env, 'servers', 'list', '--game', 'palworld', '--json');
      const [server] = JSON.parse(out) as { secret: boolean; options: string[] }[];
      return [server?.secret, server?.options];
    };
    const file = secretFile(SERVER_SECRET);
    const first = await add('--secret-file', file, '--option', 'username=ann', '--option', 'query_port=8300');
    assert.equal(first.status, 0, first.talk);
    assert.match(first.out, /^127\.0\.0\.1:8212 +added, credentials stored$/m);
    const human = await gsq(env, 'servers', 'list', '--game', 'palworld');
    assert.match(human.out, / never +secret, query_port, username +admin +-$/m);
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
    assert.match(open.talk, /has mode 0644 and is open to other users .* chmod 600/);
    await gsq(env, 'servers', 'remove', 'palworld', '127.0.0.1:8212');
  });

  test('prints an empty list of servers as [] with --json, and as the header line without --json', async () => {
    assert.equal((await gsq(env, 'servers', 'list', '--game', 'rust', '--json')).out, '[]\n');
    assert.match((await gsq(env, 'servers', 'list', '--game', 'rust')).out, /^GAME .*\n$/);
  });

  test('exits with 2 and removes nothing if a game is unknown or an address is invalid', async () => {
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

  test('prints the reason for each server that the core refuses to add, and exits with 1', async () => {
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
});
