import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { promisify } from 'node:util';
import { ALL_BUCKETS } from '../../core/cluster/buckets.ts';
import { fetchOne } from '../contract/rest.ts';
import { type ComposeService, readCompose } from '../deploy/compose-files.ts';
import { type Environment, imageEnvironment } from '../deploy/container-files.ts';
import { copyImage } from '../deploy/image-copy.ts';
import { A2sServer } from '../system/a2s-server.ts';
import { Child } from '../system/child.ts';
import { enterOwnNetwork } from '../system/network-namespace.ts';
import { scratchDirectory } from '../system/scratch-directory.ts';
import { bootstrap, INTERNAL_SECRET } from '../system/stack-settings.ts';
import { until } from '../system/until.ts';
import { engineProgram } from './engine-program.ts';

const { services } = readCompose('deploy/compose/cluster.yaml');
const CONFIG = resolve(import.meta.dirname, '../../deploy/compose/valkey.conf');
/**
 * Settings that the test adds to those of cluster.yaml, because the test uses its own token, and a game server on
 * loopback.
 */
const ADDED: Environment = {
  GSQ_ALLOW_TARGETS: '127.0.0.0/8',
  GSQ_PROBE_INTERVAL: '500ms',
  GSQ_BURST_LIMIT: '100000',
  GSQ_BOOTSTRAP_TOKEN: bootstrap.token,
  GSQ_BOOTSTRAP_TYPE: bootstrap.tier,
  GSQ_BOOTSTRAP_EMAIL: bootstrap.email,
};
const START_MS = 60_000;

/** Runs the services of deploy/compose/cluster.yaml without containers, in one network namespace. */
class Services {
  readonly #children = new Map<string, Child>();
  readonly #image = copyImage();
  readonly #home = scratchDirectory();
  readonly #programs = join(this.#home, 'bin');

  constructor() {
    for (const folder of ['bin', 'data', 'secrets']) mkdirSync(join(this.#home, folder));
    writeFileSync(join(this.#home, 'secrets/internal.secret'), INTERNAL_SECRET, { mode: 0o600 });
    this.#link('valkey-server', engineProgram('valkey').path);
    // Makes redis-cli available under the name valkey-cli. The program redis-cli also works with Valkey, and has the
    // same options.
    const { path, env } = engineProgram('redis');
    this.#link('valkey-cli', join(dirname(path), 'redis-cli'), env);
  }

  /**
   * Creates a script with the file name `name`, which services of the Compose file call. The script runs the local
   * program `path`.
   */
  #link(name: string, path: string, env: Record<string, string> = {}): void {
    const variables = Object.entries(env).map(([variable, value]) => `${variable}='${value}'`);
    const file = join(this.#programs, name);
    writeFileSync(file, `#!/bin/sh\nexec env ${variables.join(' ')} '${path}' "$@"\n`);
    chmodSync(file, 0o755);
  }

  /** Replaces paths inside a container with paths of this machine, in a text of the Compose file. */
  #local(text: string): string {
    return text
      .replace('/etc/valkey.conf', CONFIG)
      .replace('/var/lib/gsq', join(this.#home, 'data'))
      .replace('/run/secrets', join(this.#home, 'secrets'))
      .replace('/opt/gsq', this.#image);
  }

  #service(name: string): ComposeService {
    const found = services[name];
    assert.ok(found, name);
    return found;
  }

  #environment(name: string): Environment {
    const own = this.#service(name).environment ?? {};
    const local = Object.entries(own).map(([key, value]) => [key, this.#local(value)]);
    const path = `${this.#programs}:${process.env.PATH}`;
    return { ...imageEnvironment(), ...ADDED, ...Object.fromEntries(local), PATH: path };
  }

  /** Returns the program and the arguments that the container of a service runs. */
  #commandOf(name: string): [string, string[]] {
    const words = (this.#service(name).command ?? []).map(word => this.#local(word));
    if (!name.startsWith('valkey')) return [join(this.#image, 'deploy/container/entrypoint.sh'), words];
    return [words[0] ?? '', words.slice(1)];
  }

  /** Starts a service of the Compose file as a normal process, without a container. `name`: name of the service. */
  async start(name: string): Promise<void> {
    const [program, args] = this.#commandOf(name);
    const cwd = name.startsWith('valkey') ? join(this.#home, name) : this.#image;
    mkdirSync(cwd, { recursive: true });
    const env = this.#environment(name);
    // With setpriv, the kernel kills the service process when the test process ends.
    const words = ['--pdeathsig', 'KILL', 'env', program, ...args];
    this.#children.set(name, await Child.start('setpriv', () => words, { env, cwd }));
  }

  /** Runs a service that ends by itself. Rejects if its exit status is not 0. */
  async runOnce(name: string): Promise<void> {
    const [program, args] = this.#commandOf(name);
    const env = this.#environment(name);
    await promisify(execFile)('env', [program, ...args], { env, timeout: START_MS });
  }

  /** Resolves when the health check of a running service succeeds. */
  async healthy(name: string): Promise<void> {
    const words = (this.#service(name).healthcheck.test ?? []).slice(1).map(word => this.#local(word));
    // In a container, the health check reads the name of its service from the command line of process 1. Without a
    // container, process 1 is a different program, so the test passes the name as an argument.
    const named = name.startsWith('valkey') ? words : [...words, name.replace(/\d$/, '')];
    const env = this.#environment(name);
    const passes = async (): Promise<boolean> => {
      if (!this.child(name).running) throw new Error(this.child(name).report);
      return promisify(execFile)('env', named, { env }).then(
        () => true,
        () => false,
      );
    };
    await until(`${name} is healthy`, passes, Boolean, START_MS);
  }

  child(name: string): Child {
    const child = this.#children.get(name);
    assert.ok(child, `${name} was never started`);
    return child;
  }

  /** Returns the names of the numbered services of one kind. For `core`: `core1`, `core2` and so on. */
  named(word: string): string[] {
    return Object.keys(services).filter(name => new RegExp(`^${word}\\d$`).test(name));
  }

  /** Returns the value of one metric of a core. */
  async metric(name: string, metric: string): Promise<number> {
    const port = this.#environment(name).GSQ_CORE_OPS_ADDR;
    const text = await (await fetch(`http://127.0.0.1${port}/metrics`)).text();
    return Number(
      text
        .split('\n')
        .find(line => line.startsWith(`${metric} `))
        ?.split(' ')[1],
    );
  }

  /** The REST addresses of the gateways. */
  get gateways(): string[] {
    return this.named('gateway').map(name => `127.0.0.1${this.#environment(name).GSQ_HTTP_ADDR}`);
  }

  async kill(): Promise<void> {
    await Promise.all([...this.#children.values()].map(child => child.stop('SIGKILL')));
  }
}

describe('with the services of deploy/compose/cluster.yaml', { timeout: 400_000 }, () => {
  let stack: Services;
  let game: A2sServer;

  before(async () => {
    await enterOwnNetwork();
    for (const [name, value] of Object.entries(services.network?.sysctls ?? {})) {
      writeFileSync(`/proc/sys/${name.replaceAll('.', '/')}`, value);
    }
    game = await A2sServer.start({ name: 'shared' });
    stack = new Services();
  });
  after(async () => {
    await stack?.kill();
    await game?.stop();
  });

  /** Resolves when these cores together own all buckets (groups of servers), and each core owns at least one. */
  async function shared(cores: readonly string[]): Promise<void> {
    await until(
      `all buckets belong to ${cores.join(', ')}`,
      () => Promise.all(cores.map(name => stack.metric(name, 'gsq_cluster_buckets').catch(() => 0))),
      counts => counts.reduce((sum, count) => sum + count, 0) === ALL_BUCKETS && counts.every(Boolean),
      START_MS,
    ).catch(error => {
      throw new Error(`${error}\n${cores.map(name => stack.child(name).report).join('\n')}`);
    });
  }

  /** Resolves when each gateway reports that the game server is online. */
  async function online(): Promise<void> {
    for (const gateway of stack.gateways) {
      await until(
        `${gateway} tells that the server is online`,
        () => fetchOne(gateway, 'csgo', game.address).catch(() => undefined),
        server => server?._updater.status === 'online' && server.name === game.name,
        START_MS,
      );
    }
  }

  test('the service valkey-cluster joins the Valkey nodes to a cluster, and succeeds again when it runs a second time', async () => {
    for (const name of stack.named('valkey')) await stack.start(name);
    for (const name of stack.named('valkey')) await stack.healthy(name);
    await stack.runOnce('valkey-cluster');
    await stack.runOnce('valkey-cluster');
  });

  test('the cores divide all buckets (groups of servers) between them, and both gateways return the data of a probed game server', async () => {
    await stack.runOnce('keys');
    for (const name of stack.named('core')) await stack.start(name);
    for (const kind of ['prober', 'notifier', 'gateway']) {
      for (const name of stack.named(kind)) await stack.start(name);
    }
    for (const kind of ['core', 'prober', 'notifier', 'gateway']) {
      for (const name of stack.named(kind)) await stack.healthy(name);
    }
    await shared(stack.named('core'));
    await online();
  });

  test('after a core is killed, the other cores take over all its buckets (groups of servers)', async () => {
    const [first = '', ...others] = stack.named('core');
    await stack.child(first).stop('SIGKILL');
    await shared(others);
    game.name = 'renamed';
    await online();
    await stack.start(first);
    await shared(stack.named('core'));
  });

  test('every process of gsq ends with exit status 0 after SIGTERM', async () => {
    for (const kind of ['gateway', 'notifier', 'prober', 'core']) {
      for (const name of stack.named(kind)) assert.equal(await stack.child(name).stop(), 0, name);
    }
  });
});
