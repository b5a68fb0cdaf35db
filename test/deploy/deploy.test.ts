import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { settings } from '../../runtime/settings.ts';
import { A2sServer } from '../system/a2s-server.ts';
import { Stack } from '../system/stack.ts';
import { bootstrap, OPS_ADDR, processNames } from '../system/stack-settings.ts';
import { until } from '../system/until.ts';
import { operationsPage, readAlerts, readDashboard, readScrapeJobs } from './deployed.ts';
import { readExposition } from './exposition.ts';
import { namingFaults } from './naming-faults.ts';
import { evaluate } from './promql/evaluator.ts';
import { selectorsOf } from './promql/selectors.ts';
import type { Scrape } from './promql/series.ts';
import { metricsText, scrape } from './scrape.ts';

/**
 * Maximum number of metric series that one process may expose. A label with an unbounded number of values would exceed
 * this limit.
 */
const MAX_SERIES = 1_000;
/**
 * Name of a metric that only cores with Redis or Valkey expose. This test skips it, because its core has an embedded
 * store. cluster-alerts.test.ts tests the alerts with this metric.
 */
const CLUSTER_METRIC = 'gsq_cluster_members';

describe('in the monitoring of gsq', () => {
  let server: A2sServer;
  let stack: Stack;
  const scrapes: Scrape[] = [];

  before(async () => {
    server = await A2sServer.start();
    stack = await Stack.start();
    scrapes.push(...(await scrape(stack)));
    const headers = {
      'content-type': 'application/json',
      'x-api-token': bootstrap.token,
      'x-api-token-type': bootstrap.tier,
      'x-api-token-email': bootstrap.email,
    };
    const body = JSON.stringify({ servers: [{ game_id: 'csgo', servers: [server.address, 'nonsense'] }] });
    const response = await fetch(`http://${stack.http}/v1/post/fetch`, { method: 'POST', headers, body });
    assert.equal(response.status, 200);
    await until(
      'probes that were recorded',
      () => metricsText(stack.process('core').address('GSQ_CORE_OPS_ADDR')),
      text => /^gsq_reports_total\{outcome="online"\} [2-9]$/m.test(text),
    );
    scrapes.push(...(await scrape(stack, Date.now() + 1)));
  });
  after(async () => {
    await stack.stop();
    server.stop();
  });

  const samples = () => scrapes.flatMap(({ samples: found }) => found ?? []);

  /** Finds wrong names: returns each metric and label that the PromQL expression uses but no process exposes. */
  function madeUp(expression: string): string[] {
    return selectorsOf(expression).flatMap(({ name, labels }) => {
      if (name === 'up' || name === CLUSTER_METRIC) return [];
      const told = samples().filter(sample => sample.name === name);
      if (told.length === 0) return [name];
      const known = ['job', 'instance', ...told.flatMap(sample => [...sample.labels.keys()])];
      return labels.filter(label => !known.includes(label)).map(label => `${name}{${label}}`);
    });
  }

  for (const name of processNames) {
    test(`the ${name} process exposes fewer than 1000 metric samples, all with conventional names`, async () => {
      const exposition = readExposition(await metricsText(stack.process(name).address(OPS_ADDR[name])));
      assert.deepEqual(namingFaults(exposition), []);
      assert.ok(exposition.samples.length < MAX_SERIES, `${exposition.samples.length} series`);
      for (const metric of ['gsq_build_info', 'nodejs_eventloop_lag_p99_seconds', 'process_open_fds']) {
        assert.ok(exposition.types.has(metric), metric);
      }
    });
  }

  test('every metric and label in the alerts is exposed by a process', () => {
    const alerts = readAlerts();
    assert.ok(alerts.length > 20);
    assert.deepEqual(
      alerts.flatMap(({ name, expression }) => madeUp(expression).map(metric => `${name}: ${metric}`)),
      [],
    );
  });

  test('every metric and label on the dashboard is exposed by a process', () => {
    const { panels } = readDashboard();
    const targets = panels.flatMap(({ title, targets: all = [] }) =>
      all.map(({ expr }) => ({ title, expr })),
    );
    assert.ok(targets.length > 50);
    assert.deepEqual(
      targets.flatMap(({ title, expr }) => madeUp(expr).map(metric => `${title}: ${metric}`)),
      [],
    );
  });

  test('the check of alerts and dashboard finds metrics and labels that no process exposes', () => {
    assert.deepEqual(madeUp('rate(gsq_made_up_total[5m]) > 0'), ['gsq_made_up_total']);
    assert.deepEqual(madeUp('sum(gsq_servers{state="online"})'), ['gsq_servers{state}']);
  });

  test('every gsq_* metric is on the dashboard or in an alert, except two metrics that the test lists', () => {
    const asked = new Set(
      [
        ...readAlerts().map(({ expression }) => expression),
        ...readDashboard().panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr)),
      ]
        .flatMap(selectorsOf)
        .map(({ name }) => name.replace(/_(?:bucket|sum|count)$/, '')),
    );
    const ours = new Set(
      samples()
        .map(({ name }) => name.replace(/_(?:bucket|sum|count)$/, ''))
        .filter(name => name.startsWith('gsq_')),
    );
    const left = [...ours].filter(name => !asked.has(name));
    assert.deepEqual(left, ['gsq_budgeted_addresses', 'gsq_udp_receive_buffer_bytes']);
  });

  test('no alert fires while all processes work normally', () => {
    const at = Math.max(...scrapes.map(scraped => scraped.at));
    const firing = readAlerts().filter(({ expression }) => evaluate(expression, scrapes, at).length > 0);
    // Ignores the two alerts that fire if the test machine lacks CPU time or disk space.
    const ours = firing
      .map(({ name }) => name)
      .filter(name => !['GsqEventLoopLate', 'GsqDiskNearlyFull'].includes(name));
    assert.deepEqual(ours, []);
  });

  test('the panels of the dashboard use the data source that is chosen at the import of the dashboard', () => {
    const { __inputs: inputs, panels } = readDashboard();
    assert.deepEqual(
      inputs.map(({ name, type, pluginId }) => [name, type, pluginId]),
      [['DS_PROMETHEUS', 'datasource', 'prometheus']],
    );
    assert.equal(new Set(panels.map(({ id }) => id)).size, panels.length);
    for (const { targets = [] } of panels) {
      for (const { datasource } of targets) assert.equal(datasource.uid, `\${${inputs[0]?.name}}`);
    }
    const cells = panels.flatMap(({ gridPos: { x, y, w, h } }) =>
      Array.from({ length: w * h }, (_, i) => `${x + (i % w)},${y + Math.floor(i / w)}`),
    );
    assert.equal(new Set(cells).size, cells.length);
    assert.ok(panels.every(({ gridPos: { x, w } }) => x + w <= 24));
  });

  test('the Prometheus configuration scrapes each process at its default address', () => {
    const defaults = processNames.map(name => ({
      job: `gsq-${name}`,
      port: Number(settings[OPS_ADDR[name]].default.split(':')[1]),
    }));
    const byPort = (a: { port: number }, b: { port: number }) => a.port - b.port;
    assert.deepEqual(readScrapeJobs().sort(byPort), defaults.sort(byPort));
  });

  test('each alert links to its own section of docs/operations.md', () => {
    const [, chapter = ''] = operationsPage().split('\n## When an alert fires\n');
    const [sections = ''] = chapter.split(/^## /m);
    const headings = [...sections.matchAll(/^### (\S+)$/gm)].map(([, heading]) => heading);
    const alerts = readAlerts();
    assert.deepEqual(
      headings,
      alerts.map(({ name }) => name),
    );
    for (const { name, runbook, severity } of alerts) {
      assert.equal(runbook, `docs/operations.md#${name.toLowerCase()}`);
      assert.ok(['page', 'ticket'].includes(severity), name);
    }
  });
});
