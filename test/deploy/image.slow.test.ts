import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { promisify } from 'node:util';
import { Child } from '../system/child.ts';
import { scratchDirectory } from '../system/scratch-directory.ts';
import { OPS_ADDR, type ProcessName, stackDefaults } from '../system/stack-settings.ts';
import { until } from '../system/until.ts';
import { copyImage } from './image-copy.ts';

const run = promisify(execFile);

describe('with only the files of the container image', () => {
  const image = copyImage();
  const directory = join(scratchDirectory(), 'data');
  const children = new Map<ProcessName, Child>();
  const addresses: Record<string, string> = {};

  /** Runs a script of the folder deploy/container, in a directory that contains the files of the container image. */
  const script = (name: string, args: string[], env: Record<string, string> = {}) =>
    run(join(image, 'deploy/container', name), args, { env: { PATH: process.env.PATH, ...env } });

  /**
   * Starts a process of gsq with entrypoint.sh, the entry point of the container image. Keeps the addresses on which
   * the process listens.
   */
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

  test('the gateway answers GET /v1/get/games with the list of games, which it gets from the core', async () => {
    const response = await fetch(`http://${addresses.GSQ_HTTP_ADDR}/v1/get/games`);
    assert.equal(response.status, 200);
  });

  test('healthcheck.sh with the argument `start` checks all processes, and succeeds while they run', async () => {
    await script('healthcheck.sh', ['start'], addresses);
  });

  test('healthcheck.sh fails and names the ops address if no process listens at this address', async () => {
    const env = { [OPS_ADDR.prober]: '127.0.0.1:1' };
    await assert.rejects(script('healthcheck.sh', ['prober'], env), /healthcheck: prober: .*127\.0\.0\.1:1/);
  });

  test('each process of gsq ends with exit status 0 after SIGTERM to entrypoint.sh', async () => {
    for (const name of ['gateway', 'notifier', 'prober', 'core'] as const) {
      assert.equal(await children.get(name)?.stop(), 0, name);
    }
  });
});
