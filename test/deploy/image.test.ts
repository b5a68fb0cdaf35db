import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { promisify } from 'node:util';
import { Child } from '../system/child.ts';
import { scratchDirectory } from '../system/scratch-directory.ts';
import { OPS_ADDR, type ProcessName, stackDefaults } from '../system/stack-settings.ts';
import { until } from '../system/until.ts';
import {
  argumentsOf,
  copiedPaths,
  imageEnvironment,
  listeningPorts,
  readProjectFile,
  version,
} from './container-files.ts';
import { copyImage } from './image-copy.ts';

const run = promisify(execFile);

test('the image build sees exactly the files that the Containerfile copies', () => {
  const [all, ...shown] = readProjectFile('.dockerignore')
    .replace(/^#.*\n/gm, '')
    .trim()
    .split('\n');
  assert.equal(all, '*');
  assert.deepEqual(shown.map(line => line.replace(/^!/, '')).sort(), copiedPaths().sort());
});

test('the image runs as a numeric user without rights, and its last stage has no command as another user', () => {
  assert.deepEqual(argumentsOf('USER'), ['10001:10001']);
  assert.match(argumentsOf('RUN').join('\n'), /useradd --uid 10001 /);
});

test('the image contains no development packages, and no package runs a script at its installation', () => {
  assert.equal(argumentsOf('RUN')[0], 'npm ci --omit=dev --ignore-scripts');
});

test('the label of the image contains the version of package.json', () => {
  assert.match(
    argumentsOf('LABEL').join(' '),
    new RegExp(`org\\.opencontainers\\.image\\.version="${version}"`),
  );
});

test('the entry point and the health check of the image are scripts in the folder deploy/container', () => {
  assert.deepEqual(argumentsOf('ENTRYPOINT'), ['["/opt/gsq/deploy/container/entrypoint.sh"]']);
  assert.match(
    argumentsOf('HEALTHCHECK').join(' '),
    /CMD \["\/opt\/gsq\/deploy\/container\/healthcheck\.sh"\]$/,
  );
});

test('the image exposes only the public ports; the processes listen on all interfaces for these ports, and on loopback for the internal port', () => {
  const { http } = listeningPorts('gateway', imageEnvironment());
  const { grpc, internal } = listeningPorts('core', imageEnvironment());
  assert.deepEqual(argumentsOf('EXPOSE'), [`${http?.port} ${grpc?.port}`]);
  assert.deepEqual([http?.host, grpc?.host, internal?.host], ['0.0.0.0', '0.0.0.0', '127.0.0.1']);
});

describe('a directory with only the files of the image', () => {
  const image = copyImage();
  const directory = join(scratchDirectory(), 'data');
  const children = new Map<ProcessName, Child>();
  const addresses: Record<string, string> = {};

  /** Runs a script of deploy/container in the directory of the image. */
  const script = (name: string, args: string[], env: Record<string, string> = {}) =>
    run(join(image, 'deploy/container', name), args, { env: { PATH: process.env.PATH, ...env } });

  /** Starts a process of the image by its entry point, and keeps the addresses on which the process listens. */
  async function start(name: ProcessName): Promise<void> {
    const env = { ...stackDefaults, GSQ_DATA_DIR: directory, ...addresses };
    const entry = join(image, 'deploy/container/entrypoint.sh');
    const child = await Child.start(entry, () => [name], { env, cwd: image });
    children.set(name, child);
    const line = await until(
      `the ${name} is ready`,
      () => {
        if (!child.running) throw new Error(child.report);
        return child.output.split('\n').find(text => text.includes('"msg":"ready"'));
      },
      found => found !== undefined,
    );
    Object.assign(addresses, JSON.parse(line ?? '').addresses);
  }

  before(async () => {
    await start('core');
    await Promise.all((['prober', 'notifier', 'gateway'] as const).map(start));
  });
  after(() => Promise.all([...children.values()].map(child => child.stop('SIGKILL'))));

  test('the gateway answers with the games of the core', async () => {
    const response = await fetch(`http://${addresses.GSQ_HTTP_ADDR}/v1/get/games`);
    assert.equal(response.status, 200);
  });

  test('healthcheck.sh start (for all processes) succeeds while all processes run', async () => {
    await script('healthcheck.sh', ['start'], addresses);
  });

  test('the health check fails if nothing listens at the ops address, and names the address', async () => {
    const env = { [OPS_ADDR.prober]: '127.0.0.1:1' };
    await assert.rejects(script('healthcheck.sh', ['prober'], env), /healthcheck: prober: .*127\.0\.0\.1:1/);
  });

  test('the entry point of the image runs gsq commands too', async () => {
    assert.equal((await script('entrypoint.sh', ['--version'])).stdout, `gsq ${version}\n`);
  });

  test('every process ends with exit status 0 after SIGTERM, which the entry point passes on', async () => {
    for (const name of ['gateway', 'notifier', 'prober', 'core'] as const) {
      assert.equal(await children.get(name)?.stop(), 0, name);
    }
  });
});
