import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { operationsPage, readAlerts } from '../deploy/deployed.ts';
import { evaluate } from '../deploy/promql/evaluator.ts';
import type { Scrape } from '../deploy/promql/series.ts';
import { scrape } from '../deploy/scrape.ts';
import { Fleet } from '../fleet/fleet.ts';
import { fleetServer } from '../fleet/fleet-server.ts';
import type { FleetMember } from '../fleet/station.ts';
import { FetchLoad, reportOf } from './fetch-load.ts';
import { randomNumbers } from './random-numbers.ts';
import { scratchDirectory } from './scratch-directory.ts';
import { ServiceProcess } from './service-process.ts';
import { Stack } from './stack.ts';
import { bootstrap, INTERNAL_SECRET, stackDefaults } from './stack-settings.ts';
import { until } from './until.ts';

/*
 * Tests the alerts of docs/operations.md with real processes. Each test causes an incident, waits for its alert, and
 * checks the commands that docs/operations.md lists for this alert. After the incident, the alert must stop firing.
 */

const KNOWN_SERVER = '198.51.100.7:27015';
const DATA = '/var/lib/gsq';

interface Step {
  command: string;
  /** Text that the output of a command of docs/operations.md must contain. */
  shows: string;
}

/**
 * Returns the commands that docs/operations.md lists for an alert. On this page, each command ends with a comment. The
 * comment is a text that the output of the command must contain (`shows`).
 */
function stepsOf(alert: string): Step[] {
  const [, section = ''] = operationsPage().split(`\n### ${alert}\n`);
  const [own = ''] = section.split(/^##/m);
  const [, block = ''] = /```sh\n([\s\S]*?)```/.exec(own) ?? [];
  const steps = block
    .split('\n')
    .filter(line => line !== '')
    .map(line => {
      const [command = '', shows = ''] = line.split(/ +# /);
      return { command: command.trim(), shows: shows.trim() };
    });
  assert.ok(steps.length > 0, `${alert} has no commands`);
  return steps;
}

/**
 * The gsq processes of a test, and the metrics that the test has read from them. The test evaluates the alerts with
 * these metrics.
 */
class Watched {
  readonly stack: Stack;
  readonly #places: Readonly<Record<string, string>>;
  readonly #scrapes: Scrape[] = [];

  /** `places`: maps example values in the commands of docs/operations.md to the values of this test. */
  constructor(stack: Stack, places: Readonly<Record<string, string>> = {}) {
    this.stack = stack;
    this.#places = {
      '127.0.0.1:9090': stack.process('gateway').address('GSQ_GATEWAY_OPS_ADDR'),
      '127.0.0.1:9091': stack.process('core').address('GSQ_CORE_OPS_ADDR'),
      '127.0.0.1:9092': stack.process('prober').address('GSQ_PROBER_OPS_ADDR'),
      '127.0.0.1:9093': stack.process('notifier').address('GSQ_NOTIFIER_OPS_ADDR'),
      ...places,
    };
  }

  /**
   * Reads the metrics of all processes, and returns the names of the alerts that fire. Ignores the waiting time of each
   * alert (the field `for`).
   */
  async firing(): Promise<string[]> {
    const at = Date.now();
    this.#scrapes.push(...(await scrape(this.stack, at)));
    return readAlerts().flatMap(({ name, expression }) =>
      evaluate(expression, this.#scrapes, at).length > 0 ? [name] : [],
    );
  }

  fires(alert: string): Promise<string[]> {
    return until(
      `${alert} to fire`,
      () => this.firing(),
      names => names.includes(alert),
      60_000,
    );
  }

  async ends(alert: string): Promise<string[]> {
    // Forgets the metrics that were read during the incident, because they could still trigger the alert. Then reads
    // the metrics once, because an alert about a rate needs two readings: this one and a later one.
    this.#scrapes.length = 0;
    await this.firing();
    return until(
      `${alert} to end`,
      () => this.firing(),
      names => !names.includes(alert),
      60_000,
    );
  }

  /** Runs the commands that docs/operations.md lists for an alert, and checks their output. */
  async walk(alert: string): Promise<void> {
    for (const { command, shows } of stepsOf(alert)) {
      const said = await this.#run(command);
      assert.ok(said.includes(shows), `${command}\nshould show: ${shows}\nbut shows: ${said}`);
    }
  }

  #run(command: string): Promise<string> {
    let line = command;
    for (const [written, real] of Object.entries(this.#places)) line = line.replaceAll(written, real);
    const env = {
      PATH: process.env.PATH,
      HOME: scratchDirectory(),
      GSQ_INTERNAL_ADDR: this.stack.internal,
      GSQ_INTERNAL_SECRET: INTERNAL_SECRET,
    };
    return new Promise(resolve => {
      const shell = spawn('bash', ['-c', line], { env });
      let said = '';
      for (const stream of [shell.stdout, shell.stderr]) stream.on('data', text => (said += text));
      shell.on('close', () => resolve(said));
    });
  }
}

const credentials = {
  'content-type': 'application/json',
  'x-api-token': bootstrap.token,
  'x-api-token-type': bootstrap.tier,
  'x-api-token-email': bootstrap.email,
};

async function fetchServers(stack: Stack, servers: readonly string[]): Promise<Response> {
  const body = JSON.stringify({ servers: [{ game_id: 'csgo', servers }] });
  return fetch(`http://${stack.http}/v1/post/fetch`, { method: 'POST', headers: credentials, body });
}

const random = randomNumbers(29);
const NETWORKS = 24;
// Number of fetches per second. This rate overloads a core that runs for only RUNNING_MS between two pauses.
const FETCHES_A_SECOND = 1000;
// Length of each pause of the core, in milliseconds. The test needs refused fetches, so each pause must be shorter than
// 75 ms. After 75 ms without an answer, the gateway would queue fetches.
const STOPPED_MS = 60;
const RUNNING_MS = 3;

describe('the alerts of docs/operations.md', () => {
  const members = Array.from(
    { length: NETWORKS },
    (_, i): FleetMember => ({
      protocol: 'a2s',
      address: `127.61.${i}.1`,
      server: fleetServer(random, 0),
    }),
  );
  let fleet: Fleet;
  let watched: Watched;
  let addresses: string[];

  before(async () => {
    fleet = await Fleet.open(members);
    addresses = members.map(({ address, server }) => `${address}:${server.port}`);
    const stack = await Stack.start({ env: { GSQ_PROBE_INTERVAL: '1s' } });
    watched = new Watched(stack, { [KNOWN_SERVER]: addresses[0] ?? '' });
    assert.equal((await fetchServers(stack, addresses)).status, 200);
    await until(
      'all servers online',
      async () => JSON.stringify(await (await fetchServers(stack, addresses)).json()),
      text => text.split('"status":"online"').length - 1 === NETWORKS,
    );
  });
  after(async () => {
    await watched.stack.stop();
    await fleet.close();
  });

  test('GsqProberCutOff fires if the prober reaches no game server, and resolves when the servers answer again', async () => {
    const calm = await watched.firing();
    assert.ok(!calm.includes('GsqProberCutOff'), calm.join());
    for (let i = 0; i < NETWORKS; i++) fleet.behave(i, { silent: true });
    await watched.fires('GsqProberCutOff');
    await watched.walk('GsqProberCutOff');
    const text = JSON.stringify(await (await fetchServers(watched.stack, addresses)).json());
    assert.equal(text.split('"status":"online"').length - 1, NETWORKS, 'no server is called offline for it');
    for (let i = 0; i < NETWORKS; i++) fleet.behave(i, {});
    await watched.ends('GsqProberCutOff');
  });

  test('GsqOverloaded fires if the core cannot answer all fetches, and resolves when the load ends', async () => {
    await watched.firing();
    const core = watched.stack.process('core').child;
    const load = new FetchLoad(watched.stack.http, FETCHES_A_SECOND, 'csgo', addresses);
    let over = false;
    // Pauses the core most of the time (SIGSTOP), so that even a fast machine cannot answer all fetches.
    const starved = (async () => {
      while (!over) {
        core.process.kill('SIGSTOP');
        await delay(STOPPED_MS);
        core.process.kill('SIGCONT');
        await delay(RUNNING_MS);
      }
    })();
    try {
      const names = await watched.fires('GsqOverloaded');
      assert.ok(!names.includes('GsqDefects'), names.join());
      await watched.walk('GsqOverloaded');
    } finally {
      over = true;
      await starved;
      await load.stop();
    }
    const { statuses } = reportOf(load.answers);
    assert.ok((statuses[200] ?? 0) > 0 && (statuses[503] ?? 0) > 0, JSON.stringify(statuses));
    await watched.ends('GsqOverloaded');
  });

  test('GsqNoProber fires if the prober is killed, and resolves when another prober runs', async () => {
    const prober = watched.stack.process('prober');
    await prober.child.stop('SIGKILL');
    const names = await watched.fires('GsqNoProber');
    assert.ok(names.includes('GsqDown'));
    await watched.walk('GsqNoProber');
    const another = await ServiceProcess.start('prober', {
      ...stackDefaults,
      GSQ_INTERNAL_ADDR: watched.stack.internal,
      GSQ_INTERNAL_SECRET: INTERNAL_SECRET,
      GSQ_PROBER_OPS_ADDR: prober.address('GSQ_PROBER_OPS_ADDR'),
    });
    try {
      const left = await watched.ends('GsqNoProber');
      assert.ok(!left.includes('GsqDown'), left.join());
    } finally {
      await another.child.stop();
    }
  });
});

/** Mounts a small file system that the test can fill. Returns undefined if this process is not allowed to mount. */
function mountSmallDisk(): { path: string; unmount: () => void } | undefined {
  const path = scratchDirectory();
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=32m', 'tmpfs', path], { stdio: 'ignore' });
  } catch {
    return undefined;
  }
  return { path, unmount: () => execFileSync('umount', [path]) };
}

test('the alert GsqDiskNearlyFull fires if the disk is nearly full, and resolves when space is freed', async t => {
  const disk = mountSmallDisk();
  if (!disk) {
    t.skip('needs to mount a file system');
    return;
  }
  const data = join(disk.path, 'data');
  mkdirSync(data);
  try {
    const stack = await Stack.start({ env: { GSQ_DATA_DIR: data } });
    try {
      const watched = new Watched(stack, { [DATA]: data });
      assert.ok(!(await watched.firing()).includes('GsqDiskNearlyFull'));
      const rest = join(disk.path, 'something-else');
      writeFileSync(rest, Buffer.alloc(30 * 2 ** 20));
      await watched.fires('GsqDiskNearlyFull');
      await watched.walk('GsqDiskNearlyFull');
      writeFileSync(rest, '');
      await watched.ends('GsqDiskNearlyFull');
    } finally {
      await stack.stop();
    }
  } finally {
    disk.unmount();
  }
});
