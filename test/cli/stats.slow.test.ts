import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Terminal } from '../../cli/console/command.ts';
import type { LiveScreen } from '../../cli/console/live-screen.ts';
import { runGsq } from '../../cli/dispatch.ts';
import { packageVersion } from '../../runtime/version.ts';
import { askFetch } from '../gateway/ask.ts';
import { A2sServer } from '../system/a2s-server.ts';
import { Stack } from '../system/stack.ts';
import { bootstrap, INTERNAL_SECRET } from '../system/stack-settings.ts';
import { until } from '../system/until.ts';
import { piped } from './gsq-command.ts';

describe('gsq stats and gsq top', () => {
  let stack: Stack;
  let server: A2sServer;
  let env: Record<string, string>;

  before(async () => {
    server = await A2sServer.start();
    stack = await Stack.start();
    env = { GSQ_INTERNAL_ADDR: stack.internal, GSQ_INTERNAL_SECRET: INTERNAL_SECRET };
    assert.equal((await gsq({}, 'servers', 'add', 'csgo', server.address)).status, 0);
    await until(
      'the server online',
      () => json(),
      ({ servers }) => servers.online === 1,
    );
  });
  after(async () => {
    await stack.stop();
    server.stop();
  });

  async function gsq(more: Partial<Terminal>, ...args: string[]) {
    let out = '';
    let talk = '';
    const status = await runGsq(args, {
      env,
      out: text => {
        out += text;
      },
      ...piped,
      talk: line => {
        talk += line;
      },
      ...more,
    });
    return { status, out, talk };
  }

  const json = async () => JSON.parse((await gsq({}, 'stats', '--json')).out);

  test('`gsq stats --json` prints all current statistics', async () => {
    const was = await json();
    const credentials = {
      'x-api-token': bootstrap.token,
      'x-api-token-type': bootstrap.tier,
      'x-api-token-email': bootstrap.email,
    };
    const body = JSON.stringify({ servers: [{ game_id: 'csgo', servers: [server.address] }] });
    for (const headers of [credentials, credentials, { ...credentials, 'x-api-token': 'no such token' }]) {
      await askFetch(stack.http, { headers: { 'content-type': 'application/json', ...headers }, body });
    }
    const seen = await until('another probe', json, ({ probes }) => probes.recorded > was.probes.recorded);
    assert.equal(seen.version, packageVersion());
    assert.ok(Math.abs(Date.parse(seen.started_at) - Date.now()) < 600_000, seen.started_at);
    assert.deepEqual(seen.servers, { tracked: 1, online: 1, offline: 0, pending: 0, unproven: 0 });
    assert.deepEqual(seen.labels, { rate_limited: 0, challenge_only: 0, filtered: 0, cached: 0 });
    assert.deepEqual(seen.games, [{ game_id: 'csgo', servers: 1 }]);
    assert.deepEqual(seen.fetches, { answered: 2, refused: 1, in_flight: 0 });
    assert.equal(seen.probes.probers, 1);
    assert.equal(seen.probes.frozen, false);
    assert.ok(seen.probes.online >= 2 && seen.probes.lag_seconds < 30);
    assert.ok(seen.store.healthy && seen.store.bytes > 0 && seen.store.disk_free_bytes > 0);
    assert.equal(seen.tokens, 1);
  });

  test('`gsq stats` prints the statistics as lines of text', async () => {
    const { status, out } = await gsq({}, 'stats');
    assert.equal(status, 0);
    assert.match(out, /^servers +1: 1 online, 0 offline, 0 pending$/m);
    assert.match(out, /^games +1 csgo$/m);
    assert.match(out, /^store +[\d.]+ (?:[KM]i)?B, [\d.]+ GiB free on its disk$/m);
  });

  test('`gsq top` prints one screen and exits if stdout is not a terminal', async () => {
    const { status, out } = await gsq({}, 'top');
    assert.equal(status, 0);
    assert.match(out, /^probes +[\d.]+ +\d+ +\d+$/m);
    assert.match(out, /^online +1 +100\.0 %$/m);
    assert.match(out, /^csgo +1 +100\.0 %$/m);
    assert.doesNotMatch(out, /NaN|undefined/);
    assert.ok(!out.includes('\x1b'));
  });

  test('`gsq top` redraws its screen until the user quits, even while the core does not answer', async () => {
    const drawn: string[] = [];
    let leave = (): void => {};
    let closed = 0;
    const screen: LiveScreen = {
      draw: lines => drawn.push(lines.join('\n')),
      left: new Promise(resolve => {
        leave = resolve;
      }),
      close: () => closed++,
    };
    const ended = gsq({ openScreen: () => screen }, 'top');
    const drawing = (what: string, pattern: RegExp) =>
      until(
        what,
        () => drawn.at(-1) ?? '',
        text => pattern.test(text),
      );
    await drawing('rates', /^probes +\d/m);
    const core = stack.process('core').child;
    core.signal('SIGSTOP');
    try {
      await drawing('a core that does not answer', /^no answer from the core/m);
    } finally {
      core.signal('SIGCONT');
    }
    await drawing('the core again', /^SERVERS +1$/m);
    leave();
    assert.deepEqual(await ended, { status: 0, out: '', talk: '' });
    assert.equal(closed, 1);
  });
});
