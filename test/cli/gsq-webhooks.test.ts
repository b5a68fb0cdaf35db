import assert from 'node:assert/strict';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { runGsq } from '../../cli/dispatch.ts';
import { scratchDirectory } from '../system/scratch-directory.ts';
import { ServiceProcess } from '../system/service-process.ts';
import { keepSecret } from '../system/transcript.ts';
import { until } from '../system/until.ts';
import { gsq, piped } from './gsq-command.ts';
import { withCore } from './running-core.ts';

const SERVERS = ['127.0.0.1:27015', '127.0.0.1:27016', '127.0.0.1:27017', '127.0.0.1:27018'];

interface Hook {
  id: string;
  token_id: string;
  url: string;
  servers: { game_id: string; servers: string[] }[];
  game: string | null;
  events: { event: string; players: number | null; for: string | null }[];
  cooldown: string;
  form: string;
  one_message: boolean;
  disabled_at: string | null;
  disabled_reason: string | null;
  queued: number;
}

describe('gsq webhooks', () => {
  const env = withCore();
  const received: IncomingMessage[] = [];
  let receiver: Server;
  let status = 204;
  let url = '';
  let token = '';

  before(async () => {
    const created = await gsq(env, 'token', 'create', '--email', 'a@b.example', '--json');
    const made = JSON.parse(created.out) as { secret: string; token: { id: string } };
    keepSecret(made.secret);
    token = made.token.id;
    assert.equal((await gsq(env, 'servers', 'add', 'csgo', ...SERVERS)).status, 0);
    receiver = createServer((request, response) => {
      received.push(request);
      response.writeHead(status).end();
    });
    receiver.listen(0, '127.0.0.1');
    await once(receiver, 'listening');
    url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/a-secret-path`;
  });
  after(() => receiver.close());

  const addJson = async (...args: string[]): Promise<{ secret: string | null; webhook: Hook }> => {
    const {
      status: exit,
      out,
      talk,
    } = await gsq(env, ...['webhooks', 'add', '--url', url, '--token', token, '--json', ...args]);
    assert.equal(exit, 0, talk);
    const made = JSON.parse(out) as { secret: string | null; webhook: Hook };
    if (made.secret !== null) keepSecret(made.secret);
    return made;
  };
  const serverOptions = SERVERS.flatMap(address => ['--server', `csgo/${address}`]);

  test('`add` registers a webhook for servers and events, and prints only the secret to stdout', async () => {
    const { secret, webhook } = await addJson(
      ...serverOptions,
      ...['--event', 'offline:3m', '--event', 'players_over=20:5m', '--cooldown', '10m'],
    );
    assert.match(secret ?? '', /^whsec_/);
    assert.deepEqual(webhook.events, [
      { event: 'offline', players: null, for: '3m' },
      { event: 'players_over', players: 20, for: '5m' },
    ]);
    assert.deepEqual(webhook.servers, [{ game_id: 'csgo', servers: SERVERS }]);
    assert.deepEqual([webhook.token_id, webhook.cooldown, webhook.form], [token, '10m', 'json']);

    const args = ['--url', url, '--token', token, '--game', 'csgo', '--event', 'map'];
    const human = await gsq(env, 'webhooks', 'add', ...args);
    assert.equal(human.status, 0, human.talk);
    assert.match(human.out, /^whsec_\S+\n$/);
    keepSecret(human.out.trimEnd());
    assert.match(
      human.talk,
      /^Webhook hook_\w+ is created\. .*shown only this once:\nTry it: .*webhooks test hook_/,
    );
  });

  test('`add` reads the URL from a file, and refuses a file that other users can read', async () => {
    const file = join(scratchDirectory(), 'url');
    writeFileSync(file, `${url}\n`, { mode: 0o600 });
    const options = ['--token', token, '--game', 'csgo', '--event', 'full', '--form', 'discord'];
    const made = await gsq(env, 'webhooks', 'add', '--url-file', file, ...options);
    assert.deepEqual([made.status, made.out], [0, ''], made.talk);
    assert.match(made.talk, /^Webhook hook_\w+ is created\.\n/);
    const open = join(scratchDirectory(), 'open');
    writeFileSync(open, url, { mode: 0o644 });
    const refused = await gsq(env, 'webhooks', 'add', '--url-file', open, ...options);
    assert.equal(refused.status, 2);
    assert.match(refused.talk, /--url-file: .*chmod 600/);
  });

  test('`list` and `show` hide the path of the URL, and `list --token` prints only the webhooks of a token', async () => {
    const { webhook } = await addJson(...serverOptions, '--form', 'discord', '--one-message');
    const list = await gsq(env, 'webhooks', 'list');
    assert.equal(list.status, 0, list.talk);
    const [head = '', ...rows] = list.out.trimEnd().split('\n');
    assert.match(head, /^ID +TOKEN +STATE +QUEUED +FORM +EVENTS +URL +FOLLOWS$/);
    const row = rows.find(each => each.startsWith(webhook.id)) ?? '';
    assert.match(row, new RegExp(` ${token} +enabled +\\d+ +discord +- +http://127\\.0\\.0\\.1:\\d+/… `));
    assert.match(row, /csgo\/127\.0\.0\.1:27015, .*27016, .*27017 and 1 more$/);
    const none = await gsq(env, 'webhooks', 'list', '--token', 'tok_none', '--json');
    assert.equal(none.out, '[]\n');

    const shown = await gsq(env, 'webhooks', 'show', webhook.id);
    assert.match(shown.out, /^form +discord, one message for each server$/m);
    assert.match(shown.out, /^follows +.*27018$/m);
    const json = await gsq(env, 'webhooks', 'show', webhook.id, '--json');
    assert.deepEqual(JSON.parse(json.out), webhook);
    for (const { out } of [list, shown, json]) assert.ok(!out.includes('a-secret-path'), out);
  });

  test('`remove` removes a webhook, and exits with 1 if no webhook has the id', async () => {
    const { webhook } = await addJson('--game', 'csgo', '--event', 'empty');
    const removed = await gsq(env, 'webhooks', 'remove', webhook.id, '--json');
    assert.deepEqual([removed.status, removed.out], [0, `${JSON.stringify({ removed: webhook.id })}\n`]);
    for (const command of ['remove', 'show', 'log', 'test']) {
      const { status: exit, out, talk } = await gsq(env, 'webhooks', command, webhook.id);
      assert.deepEqual([exit, out], [1, ''], command);
      assert.match(talk, /no such webhook/);
    }
  });

  test('`test` exits with 1 and says what to do if there is no result after 30 s', async () => {
    const { webhook } = await addJson('--game', 'csgo', '--event', 'online');
    let talk = '';
    let ms = 0;
    // Each call of the simulated clock adds 20 s, so the command stops waiting after a few calls. The command gets
    // no result, because the test runs no process that sends webhook requests.
    const now = () => {
      ms += 20_000;
      return ms;
    };
    const terminal = { ...piped, now, env: { PATH: process.env.PATH, ...env }, out: () => {} };
    const exit = await runGsq(['webhooks', 'test', webhook.id], {
      ...terminal,
      talk: line => {
        talk += line;
      },
    });
    assert.equal(exit, 1);
    assert.match(talk, /no result after 30 s; ".*gsq doctor" says if a notifier runs/);
    const [{ queued } = { queued: 0 }] = JSON.parse(
      (await gsq(env, 'webhooks', 'list', '--json')).out,
    ).filter(({ id }: Hook) => id === webhook.id) as Hook[];
    assert.equal(queued, 1);
    await gsq(env, 'webhooks', 'remove', webhook.id);
  });

  const refused: [args: string[], why: RegExp][] = [
    [['--event', 'online', '--game', 'csog'], /no game "csog"; did you mean .*csgo/],
    [['--event', 'online', '--server', 'csog/127.0.0.1:27015'], /no game "csog"; did you mean .*csgo/],
    [['--event', 'online', '--server', 'csgo/127.0.0.1:1999'], /not tracked/],
    [['--event', 'online:tomorrow', '--game', 'csgo'], /events\[0\]\.for/],
    [['--event', 'online', '--game', 'csgo', '--cooldown', '2d'], /cooldown/],
  ];
  for (const [args, why] of refused) {
    test(`\`add ${args.join(' ')}\` is refused by the core and exits with 2`, async () => {
      const {
        status: exit,
        out,
        talk,
      } = await gsq(env, ...['webhooks', 'add', '--url', url, '--token', token, ...args]);
      assert.deepEqual([exit, out], [2, ''], talk);
      assert.match(talk, why);
    });
  }

  describe('while a notifier (process that sends webhook requests) runs', () => {
    let notifier: ServiceProcess;
    before(async () => {
      notifier = await ServiceProcess.start('notifier', { ...env, GSQ_NOTIFIER_OPS_ADDR: '127.0.0.1:0' });
    });
    after(() => notifier.child.stop());

    test('`test` sends a test request to a webhook, and exits with 0 only if the request succeeds', async () => {
      const { webhook } = await addJson('--game', 'csgo', '--event', 'online');
      const first = await gsq(env, 'webhooks', 'test', webhook.id);
      assert.equal(first.status, 0, first.out + first.talk);
      assert.match(first.out, /^result +delivered\nhttp status +204\ntook +\d+ ms\ndelivery +\S+\n$/);
      const signed = received.filter(({ headers }) => headers['webhook-signature'] !== undefined);
      assert.deepEqual(
        signed.map(({ url: path }) => path),
        ['/a-secret-path'],
      );

      status = 500;
      const failed = await gsq(env, 'webhooks', 'test', webhook.id, '--json');
      assert.equal(failed.status, 1, failed.talk);
      const result = JSON.parse(failed.out) as Record<string, unknown>;
      assert.deepEqual([result.event, result.delivered, result.http_status], ['test', false, 500]);
      assert.ok(Date.parse(String(result.next_attempt_at)) > 0, 'gsq tries again');

      const log = await gsq(env, 'webhooks', 'log', webhook.id);
      const [head = '', ...rows] = log.out.trimEnd().split('\n');
      assert.match(head, /^AT +EVENT +SERVER +RESULT +HTTP +TOOK +AGAIN +DELIVERY +ERROR$/);
      assert.match(rows[0] ?? '', /^\S+ +test +- +failed +500 +\d+ ms +\d{4}-/);
      assert.match(rows.at(-1) ?? '', /^\S+ +test +- +delivered +204 +\d+ ms +- +\S+ +-$/);
      const json = JSON.parse((await gsq(env, 'webhooks', 'log', webhook.id, '--json')).out) as object[];
      assert.deepEqual(json[0], result);
    });

    test('`show` prints when and why gsq disabled a webhook', async () => {
      const { webhook } = await addJson('--game', 'csgo', '--event', 'online');
      status = 410;
      const tested = await gsq(env, 'webhooks', 'test', webhook.id);
      assert.equal(tested.status, 1, tested.talk);
      assert.match(tested.out, /^result +given up\nhttp status +410$/m);
      const shown = await until(
        'the webhook is disabled',
        () => gsq(env, 'webhooks', 'show', webhook.id),
        ({ out }) => /^state +disabled$/m.test(out),
      );
      assert.match(shown.out, /^disabled +\d{4}-\S+: .*410/m);
    });
  });
});
