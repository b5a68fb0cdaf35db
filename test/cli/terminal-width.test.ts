import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { commands } from '../../cli/command-list.ts';
import { A2sServer, player } from '../system/a2s-server.ts';
import { closedPort } from './closed-port.ts';
import { FakeTerminal } from './fake-terminal.ts';
import { gsqOn } from './gsq-command.ts';

const NAME = '日本語サーバー 👩‍👩‍👧‍👦 \x1b[2J\x1b]0;title\x07 \u202etxt.exe 서울 서버 ❤️ '.repeat(2);

describe('gsq on a terminal', () => {
  let server: A2sServer;
  before(async () => {
    const players = [player('プレイヤー一号', 7, 61), player('👩‍👩‍👧‍👦\u202e\x1b[31mred', 0, 3600)];
    server = await A2sServer.start({ name: NAME, players });
  });
  after(() => server.stop());

  for (const columns of [80, 40]) {
    for (const env of [{}, { NO_COLOR: '1' }]) {
      const what = `${columns} columns${'NO_COLOR' in env ? ' and NO_COLOR' : ''}`;
      test(`\`gsq query\` wraps no line on a terminal with ${what}, even if a server has wide and hostile names`, async () => {
        const screen = new FakeTerminal(columns);
        assert.equal(await gsqOn(screen, env, 'query', 'csgo', server.address), 0, screen.text);
        assert.deepEqual(screen.faults, []);
        assert.match(screen.plain, /日本語/);
        assert.match(screen.plain, /👩‍👩‍👧‍👦/u);
        assert.equal(screen.text.includes('\x1b'), !('NO_COLOR' in env));
      });
    }

    test(`help texts and errors fit into ${columns} columns, so that the terminal wraps no line`, async () => {
      const address = `127.0.0.1:${await closedPort()}`;
      const lines = [
        ['--help'],
        ['token', '--help'],
        ['tokn'],
        ['nothing-like-it'],
        ['games', '--jsno'],
        ['games', '--internal-addr', address],
        ...Object.keys(commands).map(name => [...name.split(' '), '--help']),
      ];
      for (const args of lines) {
        const screen = new FakeTerminal(columns);
        await gsqOn(screen, {}, ...args);
        assert.deepEqual(screen.faults, [], `gsq ${args.join(' ')}\n${screen.text}`);
      }
    });
  }

  test('`gsq query` prints JSON with the names of players, but without characters that manipulate a terminal', async () => {
    const screen = new FakeTerminal(Number.POSITIVE_INFINITY, false);
    assert.equal(await gsqOn(screen, {}, 'query', 'csgo', server.address, '--json'), 0);
    assert.deepEqual(screen.faults, []);
    const { payload } = JSON.parse(screen.text) as { payload: { raw: { players: { name: string }[] } } };
    assert.ok(payload.raw.players.some(({ name }) => name === 'プレイヤー一号'));
  });

  test('`gsq query` suggests games by id and by name if the game is unknown', async () => {
    for (const [word, meant] of [
      ['minecraf', 'minecraft'],
      ['Counter-Strike: 2', 'counterstrike2'],
    ] as const) {
      const screen = new FakeTerminal(80);
      assert.equal(await gsqOn(screen, {}, 'query', word, server.address), 2);
      assert.match(screen.plain.replaceAll('\n', ' '), new RegExp(`did you mean .*\\b${meant}\\b`));
    }
  });
});
