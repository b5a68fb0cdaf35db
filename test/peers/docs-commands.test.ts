/**
 * Runs shell blocks of the documentation against a demo of gsq (`demo` in test/docs/block-runs.ts). Replaces only
 * example values, such as addresses and tokens.
 */
import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { blockRuns } from '../docs/block-runs.ts';
import { type PageShell, runBlock } from '../docs/page-shell.ts';
import { shellBlocks } from '../docs/shell-blocks.ts';
import { Launched } from '../system/launched.ts';
import { scratchDirectory } from '../system/scratch-directory.ts';
import { bootstrap, INTERNAL_SECRET } from '../system/stack-settings.ts';
import { until } from '../system/until.ts';
import { send } from './transcoder.ts';

const root = resolve(import.meta.dirname, '../..');
/** Example files that the commands in the documentation need. The test creates these files first. */
const FILES: Readonly<Record<string, string>> = {
  'servers.csv': 'game_id,address\ncsgo,127.0.0.1:27101\n',
  'body.json': '{"servers":[{"game_id":"csgo","servers":["127.0.0.1:27101"]}]}',
  'plugin.php': "<?php $api = 'https://hosted.example.com/v1/post/fetch';\n",
};

describe('the commands of the documentation run as written', () => {
  let demo: Launched;
  let shell: PageShell;
  /** Values that replace the example values of the documentation in all shell blocks, keyed by the example value. */
  let places: Record<string, string> = {};
  /** Secret of the newest token that a shell block or the test has created. */
  let secret = '';

  before(async () => {
    const home = scratchDirectory();
    for (const [name, content] of Object.entries(FILES)) writeFileSync(join(home, name), content);
    mkdirSync(join(home, 'backups'));
    // No DNS server listens at 127.0.0.1:9, so DNS queries for the example names do not leave the machine.
    const GSQ_DNS_SERVERS = '127.0.0.1:9';
    demo = await Launched.start(
      { GSQ_BOOTSTRAP_TYPE: 'FREE', GSQ_DNS_SERVERS, GSQ_LOG_SAMPLE: '1', GSQ_LOG_LEVEL: 'info' },
      ['--demo'],
    );
    const { GSQ_HTTP_ADDR: http = '', GSQ_GRPC_ADDR: grpc = '' } = demo.addresses;
    const { token, email } = bootstrap;
    const env = {
      PATH: `${join(root, '.peers/bin')}:${process.env.PATH}`,
      ...demo.addresses,
      GSQ_INTERNAL_SECRET: INTERNAL_SECRET,
      GSQ_ALLOW_TARGETS: '127.0.0.0/8',
      GSQ_DNS_SERVERS,
      TOKEN: token,
      EMAIL: email,
      GSQ_TOKEN: token,
      GSQ_EMAIL: email,
    };
    shell = { home, env };
    const { body } = await until(
      'the server of the pages is online',
      () => send(http, { path: '/v1/servers?game=counterstrike2&q=dust&status=online' }),
      answer => answer.status === 200 && JSON.parse(answer.body).total_size === 1,
    );
    places = {
      'https://gsq.example.com:8443': `http://${http}`,
      '127.0.0.1:8080': http,
      '127.0.0.1:50051': grpc,
      '127.0.1.1:27515': JSON.parse(body).servers[0].server,
      'TOKEN=gsq_... EMAIL=...\n': '',
      'export GSQ_TOKEN=gsq_… GSQ_EMAIL=…\n': '',
      '<address>:<port>': '127.0.0.1:27015',
      'pal.example.org': '127.0.0.3',
      'guild.example.org': '127.0.0.3',
      'play.example.org': '127.0.0.3',
      '203.0.113.7': '127.0.0.1',
      '203.0.113.8': '127.0.0.2',
      '192.0.2.7:27015': '127.0.0.1:27015',
      '192.0.2.7': '127.0.0.1:27015',
      '192.0.2.8:27015': '127.0.0.1:27016',
      '/backups/': `${home}/backups/`,
      '2026-01-31': '$(date +%F)',
      '/var/lib/gsq-restored': join(home, 'restored'),
      'GSQ_DATA_DIR=/var/lib/gsq ': '',
      '/opt/gsq-old': home,
      '/opt/gsq-new': home,
      'cd proto && buf': `cd '${root}/proto' && ../node_modules/.bin/buf`,
      'released/<version>.binpb': join(home, 'version.binpb'),
    };
  });
  after(async () => {
    assert.equal(await demo.launcher.stop(), 0, demo.launcher.report);
  });

  const run = (code: string) => runBlock(shell, code, `${secret}\n`);

  /** Returns the id of the newest token of an e-mail address. */
  async function tokenOf(email: string): Promise<string> {
    const { out } = await run('npx gsq token list --json');
    const tokens = JSON.parse(out) as { id: string; email: string }[];
    return tokens.filter(token => token.email === email).at(-1)?.id ?? '';
  }

  /** Returns the commands of a shell block of the documentation, with the example values of the page replaced. */
  async function asRun(code: string): Promise<string> {
    const now = {
      ...places,
      '<the secret>': secret,
      '<id>': code.includes('<id>') ? await tokenOf('you@example.com') : '',
      tok_28da0840e70f: code.includes('tok_') ? await tokenOf('ann@example.com') : '',
    };
    const replaced = Object.entries(now).reduce((text, [shown, used]) => text.replaceAll(shown, used), code);
    // `curl -N` reads a stream of events, which does not end. Therefore the test runs a command that stops after the
    // first event.
    return replaced.replace(/^curl -N .*$/m, stream => `{ ${stream} || true; } | grep -m 1 '^event'`);
  }

  /**
   * Prepares the commands of the page abuse-complaint.md: creates a token of ann@example.com, and uses this token to
   * add two servers to gsq.
   */
  async function abuse(): Promise<void> {
    secret = (await run('npx gsq token create --email ann@example.com')).out.trim();
    const body = '{"servers":[{"game_id":"csgo","servers":["127.0.0.1:27015","127.0.0.1:27016"]}]}';
    const headers = `-H 'X-API-Token: ${secret}' -H 'X-API-Token-Type: FREE' -H 'X-API-Token-Email: ann@example.com'`;
    await run(
      `curl ${places['127.0.0.1:8080']}/v1/post/fetch -H 'Content-Type: application/json' ${headers} -d '${body}'`,
    );
  }

  for (const [page, headings] of Object.entries(blockRuns)) {
    describe(page, () => {
      if (page.endsWith('abuse-complaint.md')) before(abuse);
      for (const [heading, runs] of Object.entries(headings)) {
        const blocks = shellBlocks().filter(block => block.page === page && block.heading === heading);
        for (const [number, { demo: shows }] of runs.entries()) {
          if (!shows) continue;
          const code = blocks[number]?.code ?? '';
          test(`${heading}: ${code.trim().split('\n', 1)[0]}`, async () => {
            for (const name of ['core', 'gateway'])
              writeFileSync(join(shell.home, `${name}.log`), demo.launcher.output);
            const { out, talk } = await run(await asRun(code));
            assert.match(out + talk, shows);
            secret = /^gsq_\w+$/m.exec(out)?.[0] ?? secret;
          });
        }
      }
    });
  }
});
