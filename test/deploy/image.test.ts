import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import {
  argumentsOf,
  copiedPaths,
  imageEnvironment,
  listeningPorts,
  readProjectFile,
  version,
} from './container-files.ts';
import { copyImage } from './image-copy.ts';

test('.dockerignore excludes all files from the image build, except the files that the Containerfile copies', () => {
  const [all, ...shown] = readProjectFile('.dockerignore')
    .replace(/^#.*\n/gm, '')
    .trim()
    .split('\n');
  assert.equal(all, '*');
  assert.deepEqual(shown.map(line => line.replace(/^!/, '')).sort(), copiedPaths().sort());
});

test('the container image of gsq runs as the unprivileged user with the id 10001', () => {
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

test('the image exposes only the public ports (which listen on all interfaces), and its internal port listens on loopback', () => {
  const { http } = listeningPorts('gateway', imageEnvironment());
  const { grpc, internal } = listeningPorts('core', imageEnvironment());
  assert.deepEqual(argumentsOf('EXPOSE'), [`${http?.port} ${grpc?.port}`]);
  assert.deepEqual([http?.host, grpc?.host, internal?.host], ['0.0.0.0', '0.0.0.0', '127.0.0.1']);
});

test('the entry point of the image can run gsq commands with only the files that the image contains', async () => {
  const entry = join(copyImage(), 'deploy/container/entrypoint.sh');
  const env = { PATH: process.env.PATH };
  const { stdout } = await promisify(execFile)(entry, ['--version'], { env });
  assert.equal(stdout, `gsq ${version}\n`);
});
