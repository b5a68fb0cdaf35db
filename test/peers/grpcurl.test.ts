import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { Stack } from '../system/stack.ts';
import { credentials } from './callers.ts';
import { freePort } from './free-port.ts';

const GRPCURL = fileURLToPath(new URL('../../.peers/bin/grpcurl', import.meta.url));
const run = promisify(execFile);

let stack: Stack;
before(async () => {
  stack = await Stack.start();
});
after(() => stack.stop());

/**
 * Runs `grpcurl -plaintext <flags> <address of the public port> <words>`. Returns its output. Rejects if grpcurl exits
 * with an error.
 */
async function grpcurl(flags: string[], ...words: string[]): Promise<string> {
  const { stdout } = await run(GRPCURL, ['-plaintext', ...flags, stack.grpc, ...words], {
    maxBuffer: 16 * 1024 * 1024,
  });
  return stdout;
}

const PUBLIC_SERVICES = [
  'gsq.v1.GameService',
  'gsq.v1.ServerService',
  'gsq.v1.HistoryService',
  'gsq.v1.WebhookService',
  'grpc.health.v1.Health',
  'grpc.reflection.v1.ServerReflection',
  'grpc.reflection.v1alpha.ServerReflection',
];

test('grpcurl lists the services of the public port by reflection', async () => {
  const services = (await grpcurl([], 'list')).trim().split('\n');
  assert.deepEqual(services.sort(), [...PUBLIC_SERVICES].sort());
});

test('grpcurl describes the google.api.http option of a method by reflection', async () => {
  const text = await grpcurl([], 'describe', 'gsq.v1.GameService.ListGamesJson');
  assert.match(text, /option \(\.google\.api\.http\) = \{ get: "\/v1\/get\/games"/);
});

test('grpcurl cannot describe an internal service', async () => {
  const internal = ['AdminService', 'ProbeService', 'Lease', 'NotifyService', 'LeaseDeliveriesRequest'];
  for (const symbol of internal.map(name => `gsq.v1.${name}`))
    await assert.rejects(grpcurl([], 'describe', symbol), /not found|NotFound/i);
});

test('grpcurl describes every message and enum of the public services by reflection', async () => {
  const described = new Map<string, string>();
  const left = [...PUBLIC_SERVICES];
  for (let symbol = left.pop(); symbol !== undefined; symbol = left.pop()) {
    if (described.has(symbol)) continue;
    const text = await grpcurl([], 'describe', symbol);
    described.set(symbol, text);
    // Removes the comments from the output of grpcurl. Then collects the type names, each of which starts with a dot.
    const declarations = text.replaceAll(/\/\/.*/g, '');
    for (const [, name = ''] of declarations.matchAll(/(?<=[\s(<,])\.([\w.]+)/g)) left.push(name);
  }
  assert.match(described.get('gsq.v1.ServerResult') ?? '', /\.gsq\.v1\.ServerPayload payload = 4;/);
  assert.match(described.get('gsq.v1.ServerStatus') ?? '', /SERVER_STATUS_ONLINE = 2;/);
  assert.match(described.get('gsq.v1.Game') ?? '', /string name = 2;/);
  assert.match(described.get('google.rpc.Status') ?? '', /\.google\.protobuf\.Any details = 3;/);
  for (const name of await declaredBySources()) assert.ok(described.has(name), `${name} is not described`);
  for (const [symbol, text] of described) assert.match(text, new RegExp(`^${symbol} is `), symbol);
});

test('grpcurl calls ListGames without credentials', async () => {
  const { games } = JSON.parse(await grpcurl([], 'gsq.v1.GameService/ListGames'));
  assert.ok(games.some((game: unknown) => isGame(game, 'openarena', 'OpenArena')));
});

test('grpcurl calls FetchServers with credentials as metadata', async () => {
  const address = `127.0.0.1:${await freePort()}`;
  const request = JSON.stringify({ servers: [{ game_id: 'openarena', servers: [address] }] });
  const headers = Object.entries(credentials).flatMap(([key, value]) => ['-H', `${key}: ${value}`]);
  const answer = JSON.parse(await grpcurl([...headers, '-d', request], 'gsq.v1.ServerService/FetchServers'));
  assert.equal(answer.results[0].server, address);
  assert.equal(answer.results[0].updater.status, 'SERVER_STATUS_PENDING');
  assert.deepEqual(answer.meta.insertedServers, [{ gameId: 'openarena', server: address }]);
});

test('grpcurl shows the error AUTH_1 of a call without credentials', async () => {
  await assert.rejects(grpcurl(['-d', '{}'], 'gsq.v1.ServerService/FetchServers'), (error: Error) => {
    assert.match(error.message, /Code: Unauthenticated/);
    assert.match(error.message, /AUTH_1/);
    return true;
  });
});

test('grpcurl calls the health service', async () => {
  const answer = JSON.parse(await grpcurl([], 'grpc.health.v1.Health/Check'));
  assert.deepEqual(answer, { status: 'SERVING' });
});

/** Returns the names of all types that the public .proto files declare, without nested types. */
async function declaredBySources(): Promise<string[]> {
  const names = ['game', 'server', 'history', 'webhook'];
  const files = names.map(name => new URL(`../../proto/gsq/v1/${name}.proto`, import.meta.url));
  const sources = await Promise.all(files.map(file => readFile(file, 'utf8')));
  return sources.flatMap(source =>
    Array.from(source.matchAll(/^(?:message|enum|service) (\w+)/gm), ([, name]) => `gsq.v1.${name}`),
  );
}

function isGame(game: unknown, id: string, name: string): boolean {
  return JSON.stringify(game) === JSON.stringify({ id, name });
}
