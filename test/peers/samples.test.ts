import assert from 'node:assert/strict';
import { execFile, execFileSync } from 'node:child_process';
import { join, resolve } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { promisify } from 'node:util';
import { Launched } from '../system/launched.ts';
import { scratchDirectory } from '../system/scratch-directory.ts';
import { bootstrap } from '../system/stack-settings.ts';
import { blocksOf, builtSample, directoryOf, type Language, languages, sectionOf } from './samples.ts';

const run = promisify(execFile);
const SHELL = ['-euo', 'pipefail', '-c'];

/** Makes a certificate with the command of docs/operations.md. Returns the paths of its files. */
function makeCertificate(): { certificate: string; key: string } {
  const directory = scratchDirectory();
  const commands = blocksOf(sectionOf('docs/operations.md', '## TLS for callers'), 'sh');
  const command = commands.find(block => block.startsWith('openssl req'));
  assert.ok(command, 'docs/operations.md does not create a certificate');
  execFileSync('bash', [...SHELL, command], { cwd: directory, stdio: 'pipe' });
  return { certificate: join(directory, 'cert.pem'), key: join(directory, 'key.pem') };
}

describe('the clients of docs/grpc.md', () => {
  const { certificate, key } = makeCertificate();
  let demo: Launched;

  before(async () => {
    const env = {
      GSQ_HTTP_TLS_CERT: certificate,
      GSQ_HTTP_TLS_KEY: key,
      GSQ_GRPC_TLS_CERT: certificate,
      GSQ_GRPC_TLS_KEY: key,
      GSQ_BOOTSTRAP_TYPE: 'FREE',
    };
    demo = await Launched.start(env, ['--demo']);
  });
  after(async () => {
    assert.equal(await demo.launcher.stop(), 0, demo.launcher.report);
  });

  /**
   * Runs the client of docs/grpc.md in one language, with the command from that page. Resolves to the output of the
   * client.
   */
  async function outputOf(language: Language, more: Record<string, string> = {}): Promise<string> {
    const [, port] = demo.addresses.GSQ_GRPC_ADDR?.split(':') ?? [];
    const env = {
      ...process.env,
      GSQ: resolve(import.meta.dirname, '../..'),
      GSQ_CA: certificate,
      GSQ_GRPC_ADDR: `localhost:${port}`,
      GSQ_TOKEN: bootstrap.token,
      GSQ_EMAIL: bootstrap.email,
      ...more,
    };
    const running = run('bash', [...SHELL, builtSample(language).run], { cwd: directoryOf(language), env });
    const { stdout, stderr } = await running.catch((error: { stdout: string; stderr: string }) => error);
    return stdout + stderr;
  }

  for (const language of languages) {
    test(`the client in ${language} prints address, status and name of the server`, async () => {
      const line = /^(1 )?127\.0\.5\.1:27860 (SERVER_STATUS_ONLINE|online) \S/m;
      assert.match(await outputOf(language), line);
    });

    test(`the client in ${language} prints the error code of gsq if the token is wrong`, async () => {
      assert.match(await outputOf(language, { GSQ_TOKEN: 'a-wrong-token' }), /\bAUTH_3\b/);
    });

    test(`the client in ${language} sends no call if it distrusts the certificate of the core`, async () => {
      const said = await outputOf(language, { GSQ_CA: makeCertificate().certificate });
      assert.match(said, /UNAVAILABLE|Unavailable|No connection established|InvalidCertificate/);
      assert.doesNotMatch(said, /127\.0\.5\.1/);
    });
  }
});
