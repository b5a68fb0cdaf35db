import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { before, describe, test } from 'node:test';
import { scratchDirectory } from '../system/scratch-directory.ts';

const root = resolve(import.meta.dirname, '../..');
const client = join(root, 'client');

function run(command: string, args: readonly string[], cwd: string): string {
  const env = { ...process.env, npm_config_cache: join(cwd, '.npm'), npm_config_offline: 'true' };
  const { status, stdout, stderr } = spawnSync(command, args, { cwd, env, encoding: 'utf8' });
  assert.equal(status, 0, `${command} ${args.join(' ')}: ${stdout}${stderr}`);
  return stdout;
}

const compile = (args: readonly string[], cwd: string): string =>
  run(process.execPath, [join(root, 'node_modules/typescript/bin/tsc'), ...args], cwd);

interface PackedFile {
  path: string;
}

describe('the npm package of the REST client', () => {
  const project = scratchDirectory();
  let packed: string[];

  before(() => {
    const build = scratchDirectory();
    for (const name of ['package.json', 'README.md', 'LICENSE'])
      copyFileSync(join(client, name), join(build, name));
    compile(['-p', client, '--outDir', join(build, 'dist')], build);
    const report = run('npm', ['pack', '--ignore-scripts', '--json'], build);
    const [archive] = JSON.parse(report) as { filename: string; files: PackedFile[] }[];
    assert.ok(archive);
    packed = archive.files.map(({ path }) => path);
    const installed = join(project, 'node_modules/gsq-client');
    mkdirSync(installed, { recursive: true });
    run('tar', ['-xzf', join(build, archive.filename), '--strip-components=1', '-C', installed], build);
    writeFileSync(join(project, 'package.json'), '{"type":"module"}');
  });

  test('contains only the JavaScript files, their types, README.md, LICENSE and package.json', () => {
    const names = ['errors', 'fetch-parts', 'http', 'rest-client', 'rest-types.generated', 'watch'];
    const files = names.flatMap(name => [`dist/${name}.d.ts`, `dist/${name}.js`]);
    assert.deepEqual(packed.sort(), ['LICENSE', 'README.md', ...files, 'package.json']);
  });

  test('can be imported and used in JavaScript by Node', () => {
    writeFileSync(
      join(project, 'use.js'),
      `import { createServer } from 'node:http';
import { hasData, RestClient, RestError } from 'gsq-client';
const server = createServer((request, response) => {
  if (request.url === '/v1/get/games') return response.end('[{"id":"rust","name":"Rust"}]');
  response.writeHead(401).end('{"error":"AUTH_1","message":"No."}');
}).listen(0, '127.0.0.1', async () => {
  const client = new RestClient({ baseUrl: 'http://127.0.0.1:' + server.address().port });
  const games = await client.games();
  const error = await client.fetch([]).catch(thrown => thrown);
  console.log(JSON.stringify([games[0].id, error instanceof RestError, error.code, hasData({ name: '' })]));
  server.close();
  server.closeAllConnections();
});
`,
    );
    assert.deepEqual(JSON.parse(run(process.execPath, ['use.js'], project)), ['rust', true, 'AUTH_1', true]);
  });

  test('compiles in a strict TypeScript project, even if the project does not include the types of Node', () => {
    writeFileSync(
      join(project, 'use.ts'),
      `import { hasData, RestClient } from 'gsq-client';
export async function names(client: RestClient): Promise<string[]> {
  const { servers } = await client.fetch([{ game_id: 'rust', servers: ['203.0.113.7:28015'] }]);
  return [...servers.values()].map(server => (hasData(server) ? server.name : server.message));
}
// @ts-expect-error: a client without a base URL must not compile
new RestClient({});
`,
    );
    const options = ['--strict', '--noEmit', '--module', 'nodenext', '--target', 'es2022', '--types', ''];
    compile([...options, 'use.ts'], project);
  });

  test('has the same version number as the service', () => {
    const versionIn = (folder: string): string =>
      (JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as { version: string }).version;
    assert.equal(versionIn(client), versionIn(root));
  });
});
