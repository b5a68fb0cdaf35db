import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { readAlerts, readDashboard } from '../deploy/deployed.ts';
import { evaluate } from '../deploy/promql/evaluator.ts';
import type { Scrape } from '../deploy/promql/series.ts';
import { metricsText, scrape } from '../deploy/scrape.ts';
import { A2sServer } from '../system/a2s-server.ts';
import { Child } from '../system/child.ts';
import { scratchDirectory } from '../system/scratch-directory.ts';
import { Stack } from '../system/stack.ts';
import { OPS_ADDR, processNames } from '../system/stack-settings.ts';
import { until } from '../system/until.ts';
import { fetchByRest } from './callers.ts';
import { freePort } from './free-port.ts';

const path = (name: string): string => fileURLToPath(new URL(`../../${name}`, import.meta.url));
const PROMTOOL = path('.peers/bin/promtool');
const PROMETHEUS = path('.peers/bin/prometheus');
const DEPLOYED = path('deploy/prometheus');
const run = promisify(execFile);

test('promtool accepts the alerts and the scrape configuration in deploy/prometheus', async () => {
  const rules = await run(PROMTOOL, ['check', 'rules', join(DEPLOYED, 'alerts.yml')]);
  assert.match(rules.stdout, new RegExp(`SUCCESS: ${readAlerts().length} rules found`));
  await run(PROMTOOL, ['check', 'config', join(DEPLOYED, 'prometheus.yml')]);
});

/**
 * Writes the Prometheus configuration of deploy/prometheus to a new directory, with the addresses of a test stack.
 * Prometheus then scrapes and evaluates alerts once a second.
 */
function configure(stack: Stack): string {
  const directory = scratchDirectory();
  const ports = { gateway: 9090, core: 9091, prober: 9092, notifier: 9093 };
  let text = readFileSync(join(DEPLOYED, 'prometheus.yml'), 'utf8').replaceAll('15s', '1s');
  for (const name of processNames) {
    text = text.replaceAll(`127.0.0.1:${ports[name]}`, stack.process(name).address(OPS_ADDR[name]));
  }
  writeFileSync(join(directory, 'prometheus.yml'), text);
  writeFileSync(
    join(directory, 'alerts.yml'),
    readFileSync(join(DEPLOYED, 'alerts.yml'), 'utf8').replace(/^( +for:) .*$/gm, '$1 0s'),
  );
  return directory;
}

describe('Prometheus', () => {
  let server: A2sServer;
  let stack: Stack;
  let prometheus: Child;
  let address = '';
  const scrapes: Scrape[] = [];

  before(async () => {
    server = await A2sServer.start();
    stack = await Stack.start();
    await fetchByRest(stack, 'csgo', server.address);
    const directory = configure(stack);
    address = `127.0.0.1:${await freePort()}`;
    prometheus = await Child.start(PROMETHEUS, home => [
      `--config.file=${join(directory, 'prometheus.yml')}`,
      `--storage.tsdb.path=${join(home, 'tsdb')}`,
      `--web.listen-address=${address}`,
    ]);
  });
  after(async () => {
    await prometheus.stop();
    await stack.stop();
    server.stop();
  });

  async function api<T>(what: string): Promise<T> {
    const answer = await fetch(`http://${address}/api/v1/${what}`).then(
      response => response.json() as Promise<{ status: string; data: T; error?: string }>,
      (error: unknown) => ({ status: 'away', data: undefined, error: String(error) }),
    );
    assert.equal(answer.status, 'success', `${what}: ${answer.error}`);
    return answer.data as T;
  }

  const query = async (expression: string): Promise<number> => {
    const { result } = await api<{ result: unknown[] }>(`query?query=${encodeURIComponent(expression)}`);
    return result.length;
  };

  /** Returns the sorted names of the alerts that fire in Prometheus. */
  const firing = async (): Promise<string[]> => {
    const { alerts } = await api<{ alerts: { labels: { alertname: string }; state: string }[] }>('alerts');
    return [...new Set(alerts.map(({ labels }) => labels.alertname))].sort();
  };

  test('scrapes every process, and promtool accepts the metrics of every process', async () => {
    await until(
      'all targets up',
      () => query('up == 1').catch(() => 0),
      up => up === processNames.length,
    );
    for (const name of processNames) {
      const text = await metricsText(stack.process(name).address(OPS_ADDR[name]));
      const promtool = spawn(PROMTOOL, ['check', 'metrics'], { stdio: ['pipe', 'pipe', 'pipe'] });
      let said = '';
      for (const stream of [promtool.stdout, promtool.stderr]) stream.on('data', part => (said += part));
      promtool.stdin.end(text);
      const code = await new Promise(resolve => promtool.on('close', resolve));
      assert.deepEqual([code, said], [0, ''], name);
    }
  });

  test('finds data for every expression of the dashboard (the expression that counts failed calls may have no data)', async () => {
    const silent: string[] = [];
    for (const { title, targets = [] } of readDashboard().panels) {
      for (const { expr } of targets) {
        const found = await until(
          `figures of ${title}`,
          () => query(expr.replaceAll('$__rate_interval', '1m')),
          results => results > 0 || /code!="OK"/.test(expr),
        );
        if (found === 0) silent.push(title);
      }
    }
    assert.ok(silent.length <= 1, silent.join());
  });

  test('fires the same alerts as the test evaluator in test/deploy/promql, before and after the prober is killed', async () => {
    const agree = async (what: string, expected: (names: string[]) => boolean): Promise<void> => {
      await until(
        what,
        async () => {
          const at = Date.now();
          scrapes.push(...(await scrape(stack, at)));
          const ours = readAlerts().filter(({ expression }) => evaluate(expression, scrapes, at).length > 0);
          return { ours: ours.map(({ name }) => name).sort(), theirs: await firing() };
        },
        ({ ours, theirs }) => ours.join() === theirs.join() && expected(theirs),
      );
    };
    await agree(
      'no alert of the prober',
      names => !names.includes('GsqNoProber') && !names.includes('GsqDown'),
    );
    await stack.process('prober').child.stop('SIGKILL');
    await agree('the dead prober', names => names.includes('GsqNoProber') && names.includes('GsqDown'));
  });

  test('reports all alert rules as healthy', async () => {
    const { groups } = await api<{
      groups: { rules: { name: string; health: string; lastError?: string }[] }[];
    }>('rules');
    const rules = groups.flatMap(group => group.rules);
    assert.deepEqual(
      rules.map(({ name }) => name),
      readAlerts().map(({ name }) => name),
    );
    assert.deepEqual(
      rules.filter(({ health }) => health !== 'ok'),
      [],
    );
  });
});
