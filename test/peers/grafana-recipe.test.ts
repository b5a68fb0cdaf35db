/**
 * Runs the commands of docs/recipes/graph-in-grafana.md with curl and jq against a demo. Replaces the addresses in
 * these commands by the addresses of the demo.
 */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { after, before, describe, it } from 'node:test';
import { promisify } from 'node:util';
import { Launched } from '../system/launched.ts';
import { until } from '../system/until.ts';
import { blocksOf, sectionOf } from './samples.ts';
import { send } from './transcoder.ts';

const PAGE = 'docs/recipes/graph-in-grafana.md';
const run = promisify(execFile);

describe('the commands of the recipe for Grafana', () => {
  let demo: Launched;
  let http = '';
  let server = '';
  before(async () => {
    demo = await Launched.start({}, ['--demo']);
    http = demo.addresses.GSQ_HTTP_ADDR ?? '';
    const path = '/v1/servers?q=demo+survival&game=minecraft&status=online';
    const { body } = await until(
      'the server of the recipe online',
      () => send(http, { path }),
      answer => answer.status === 200 && JSON.parse(answer.body).total_size === 1,
    );
    server = JSON.parse(body).servers[0].server;
  });
  after(async () => {
    assert.equal(await demo.launcher.stop(), 0, demo.launcher.report);
  });

  /**
   * Runs all shell blocks under a heading of docs/recipes/graph-in-grafana.md as one script. Resolves to the lines of
   * its output.
   */
  async function linesOf(heading: string): Promise<string[]> {
    const commands = blocksOf(sectionOf(PAGE, heading), 'sh').join('');
    const script = commands.replaceAll('127.0.0.1:8080', http).replaceAll('127.0.8.1:25665', server);
    const { stdout } = await run('bash', ['-euo', 'pipefail', '-c', script]);
    return stdout.trim().split('\n');
  }

  it('list the servers with most players', async () => {
    const lines = await until(
      'three servers that are online',
      () => linesOf('## 2. Choose a server'),
      ({ length }) => length === 3,
    );
    for (const line of lines) assert.match(line, /^[a-z0-9]+\/127\.0\.\d+\.1:\d+ \d+ Demo \| /);
  });

  it('show one row for each time step of the history, with the time of the step', async () => {
    const lines = await until(
      'a step with players',
      () => linesOf('## 3. Look at the history'),
      all => JSON.parse(all.at(-1) ?? '').players > 0,
    );
    const [step, ...others] = lines.map(line => JSON.parse(line));
    assert.equal(step, 60);
    const rows = others.filter(row => row !== null && 'time' in row);
    const samples = others.filter(sample => sample === null || 'at' in sample);
    for (const [index, { time }] of rows.entries()) assert.equal(time, rows[0].time + 60 * index);
    // Checks only that each minute with a sample has a number of players. The numbers of the two `curl` commands can
    // differ, because the commands read the history at different times.
    for (const { at } of samples.filter(sample => sample !== null))
      assert.equal(typeof rows.find(({ time }) => time === Date.parse(at) / 1000)?.players, 'number');
  });

  it('show the uptime of 24 hours, 7 days and 30 days', async () => {
    const windows = (await linesOf('## 5. Show the uptime')).map(line => JSON.parse(line));
    assert.deepEqual(
      windows.map(({ window }) => window),
      ['24h', '7d', '30d'],
    );
    for (const { online_share: share } of windows) assert.ok(share > 0.5 && share <= 1, `${share}`);
  });
});
