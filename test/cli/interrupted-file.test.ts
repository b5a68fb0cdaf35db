import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { promisify } from 'node:util';
import { Server, ServerCredentials, type ServerWritableStream } from '@grpc/grpc-js';
import { writeNewFile } from '../../cli/console/new-file.ts';
import { gsqV1 } from '../../proto/descriptors.ts';
import { Child } from '../system/child.ts';
import { scratchDirectory } from '../system/scratch-directory.ts';
import { INTERNAL_SECRET } from '../system/stack-settings.ts';
import { until } from '../system/until.ts';

const { Backup, ListServers } = gsqV1.AdminService.service;

describe('a gsq command that receives a signal while it writes a file', () => {
  /** A core that sends the first line of a backup, and then nothing more. It never answers ListServers. */
  const core = new Server();
  let env: Record<string, string>;
  before(async () => {
    core.addService(
      { Backup, ListServers },
      {
        Backup: (call: ServerWritableStream<unknown, unknown>) => {
          call.on('error', () => {});
          call.write({ lines: Buffer.from('a line with a key\n') });
        },
        ListServers: () => {},
      },
    );
    const bind = promisify(core.bindAsync.bind(core));
    const port = await bind('127.0.0.1:0', ServerCredentials.createInsecure());
    env = { GSQ_INTERNAL_ADDR: `127.0.0.1:${port}`, GSQ_INTERNAL_SECRET: INTERNAL_SECRET };
  });
  after(() => core.forceShutdown());

  /**
   * Starts a gsq command that writes the file `saved` in a new directory. Sends `signal` to the command as soon as the
   * unfinished file contains exactly `content`. Returns how the command ended, and the remaining files.
   */
  async function interrupted(
    signal: NodeJS.Signals,
    content: string,
    ...command: string[]
  ): Promise<{ ended: number | NodeJS.Signals; files: string[] }> {
    const folder = scratchDirectory();
    const args = ['--import', './runtime/typescript.mjs', 'cli/gsq.ts', ...command, join(folder, 'saved')];
    const child = await Child.start(process.execPath, () => args, { env });
    const ended = child.ended.then(ending => {
      throw new Error(`the command ended too early: ${ending}\n${child.report}`);
    });
    const written = until(
      'the unfinished file',
      () => readdirSync(folder).map(name => [name, readFileSync(join(folder, name), 'utf8')]),
      ([file]) => /^saved\.[0-9a-f]+\.part$/.test(file?.[0] ?? '') && file?.[1] === content,
    );
    await Promise.race([written, ended]);
    ended.catch(() => {});
    child.signal(signal);
    return { ended: await child.ended, files: readdirSync(folder) };
  }

  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
    test(`gsq backup removes the unfinished file after ${signal}, and the signal still ends the process`, async () => {
      assert.deepEqual(await interrupted(signal, 'a line with a key\n', 'backup'), {
        ended: signal,
        files: [],
      });
    });

  test('gsq servers export removes the unfinished file after SIGINT, and the signal still ends the process', async () => {
    assert.deepEqual(await interrupted('SIGINT', '', 'servers', 'export'), { ended: 'SIGINT', files: [] });
  });
});

test('writeNewFile() leaves no signal listeners after it has succeeded or failed', async () => {
  const path = join(scratchDirectory(), 'saved');
  const count = (): number[] => ['SIGINT', 'SIGTERM', 'SIGHUP'].map(signal => process.listenerCount(signal));
  const [before, meanwhile] = [count(), await writeNewFile(path, 0o600, async () => count())];
  assert.deepEqual(
    meanwhile,
    before.map(listeners => listeners + 1),
  );
  const failing = writeNewFile(`${path}2`, 0o600, async () => {
    throw new Error('no answer');
  });
  await assert.rejects(failing, /no answer/);
  await assert.rejects(
    writeNewFile(join(path, 'below-a-file'), 0o600, async () => {}),
    /cannot be written/,
  );
  assert.deepEqual(count(), before);
});
