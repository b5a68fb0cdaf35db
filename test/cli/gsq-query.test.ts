import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { type Fleet, startFleet } from '../../cli/demo/fleet.ts';
import { demoPlan } from '../../cli/demo/fleet-plan.ts';
import { GameApi, palworld } from '../system/game-apis.ts';
import { closedPort } from './closed-port.ts';
import { gsq } from './gsq-command.ts';
import { SERVER_SECRET, secretFile } from './server-secret.ts';

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

  test('prints the status of a server as JSON with the option --json', async () => {
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

  test('exits with 1 and reports the outcome `refused` if the TCP port of the server is closed', async () => {
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

  test('uses the given secret file and options, and reports a missing or wrong secret', async () => {
    const api = await GameApi.start(palworld(SERVER_SECRET));
    try {
      const ask = (...args: string[]) => gsq({}, 'query', 'palworld', api.address, '--json', ...args);
      const shown = await gsq({}, 'query', 'palworld', api.address);
      assert.equal(shown.status, 1);
      assert.match(shown.out, /^\S+ +needs_credentials +cannot be queried without a secret$/m);
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

  test('exits with 1 and reports the outcome `refused` if the UDP port of the server is closed', async () => {
    // A port on which no process listens. It is below the range from which the operating system assigns ports.
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
