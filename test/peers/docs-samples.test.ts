import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { copyFileSync, mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { promisify } from 'node:util';
import { samples } from '../../gateway/docs/samples.ts';
import { Launched } from '../system/launched.ts';
import { scratchDirectory } from '../system/scratch-directory.ts';
import { bootstrap, INTERNAL_SECRET } from '../system/stack-settings.ts';

const run = promisify(execFile);
const root = resolve(import.meta.dirname, '../..');
/** Programs that run the code samples of the page /docs, keyed by the file extension of the sample. */
const RUNNERS: Readonly<Record<string, readonly string[]>> = {
  sh: ['bash', '-euo', 'pipefail'],
  mjs: ['node'],
  py: ['python3'],
  go: ['go', 'run'],
  php: ['php'],
};

describe('the code samples of the page /docs', () => {
  let demo: Launched;
  before(async () => {
    demo = await Launched.start({ GSQ_BOOTSTRAP_TYPE: 'FREE' }, ['--demo']);
  });
  after(async () => {
    assert.equal(await demo.launcher.stop(), 0, demo.launcher.report);
  });

  for (const { name, file } of samples) {
    it(`print the status of a server: ${name}`, async () => {
      const [program = '', ...options] = RUNNERS[file.split('.')[1] ?? ''] ?? [];
      // Copies the code sample to a folder outside the project. Go can refuse to run a sample if a parent folder
      // contains a file go.mod.
      const folder = join(scratchDirectory(), name);
      mkdirSync(folder, { recursive: true });
      copyFileSync(join(root, 'gateway/docs/samples', file), join(folder, file));
      const env = {
        ...process.env,
        GSQ_URL: `http://${demo.addresses.GSQ_HTTP_ADDR}`,
        GSQ_INTERNAL_ADDR: demo.addresses.GSQ_INTERNAL_ADDR ?? '',
        GSQ_INTERNAL_SECRET: INTERNAL_SECRET,
        GSQ_TOKEN: bootstrap.token,
        GSQ_EMAIL: bootstrap.email,
      };
      // The command `npx gsq` works only in the project's directory. Other commands run in the directory of the sample.
      const cwd = name === 'gsq' ? root : folder;
      const { stdout } = await run(program, [...options, join(folder, file)], { cwd, env });
      assert.match(stdout, /Demo \| Dust all day/, stdout);
    });
  }
});
