import assert from 'node:assert/strict';
import { chmodSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { credentials, Metadata } from '@grpc/grpc-js';
import { pino } from 'pino';
import { startCore } from '../../core/core.ts';
import { clients, credentialKeys, internalMetadata } from '../../proto/clients.ts';
import { grpcHealthV1 } from '../../proto/descriptors.ts';
import type { HealthListResponse__Output } from '../../proto/generated/grpc/health/v1/HealthListResponse.ts';
import type { FetchServersResponse__Output } from '../../proto/generated/gsq/v1/FetchServersResponse.ts';
import { loadConfig } from '../../runtime/load-config.ts';
import { settings } from '../../runtime/settings.ts';
import { scratchDirectory } from '../system/scratch-directory.ts';
import { until } from '../system/until.ts';
import { failure, unary } from './rpc/answer.ts';

/** Starts a core on free loopback ports. `environment`: additional settings. */
function start(directory: string, environment: Record<string, string> = {}) {
  const base = {
    GSQ_GRPC_ADDR: '127.0.0.1:0',
    GSQ_INTERNAL_ADDR: '127.0.0.1:0',
    GSQ_CORE_OPS_ADDR: '127.0.0.1:0',
    GSQ_DATA_DIR: join(directory, 'data'),
    GSQ_CATALOG: 'catalog.json',
    GSQ_DNS_SERVERS: '127.0.0.1:1',
  };
  const config = loadConfig(settings, { ...base, ...environment }, []);
  return startCore(config, pino({ level: 'silent' }), Date.now);
}

const secretPath = (directory: string): string => join(directory, 'data', 'internal.secret');
const secretOf = (directory: string): string => readFileSync(secretPath(directory), 'utf8').trim();

async function fetchFrom(t: TestContext, address: string, token: string, waitMs = 0) {
  const client = clients.server(address);
  t.after(() => client.close());
  const metadata = new Metadata();
  metadata.set(credentialKeys.token, token);
  metadata.set(credentialKeys.tier, 'FREE');
  metadata.set(credentialKeys.email, 'admin@localhost');
  const request = { servers: [{ gameId: 'cs2', servers: ['1.2.3.4:27015'] }], waitMs };
  return unary<FetchServersResponse__Output>(done => client.fetchServers(request, metadata, done));
}

test('a restart of the core keeps tokens and servers', async t => {
  const directory = scratchDirectory();
  const token = 'a token of the operator';
  const first = await start(directory, { GSQ_BOOTSTRAP_TOKEN: token });
  const fresh = await fetchFrom(t, first.addresses.GSQ_GRPC_ADDR ?? '', token);
  assert.equal(fresh.meta?.autoInserted, 1);
  await first.drain();

  const second = await start(directory);
  const again = await fetchFrom(t, second.addresses.GSQ_GRPC_ADDR ?? '', token);
  assert.deepEqual(
    [again.meta?.autoInserted, again.results[0]?.updater?.status],
    [0, 'SERVER_STATUS_PENDING'],
  );
  await second.drain();
});

test('the core creates the token of GSQ_BOOTSTRAP_TOKEN and does not print its secret', async t => {
  const token = 'a token of the operator';
  const core = await start(scratchDirectory(), { GSQ_BOOTSTRAP_TOKEN: token });
  assert.equal(core.notes, undefined);
  await fetchFrom(t, core.addresses.GSQ_GRPC_ADDR ?? '', token);
  await core.drain();
});

test('the gRPC health service of each port lists the services of that port as SERVING', async t => {
  const core = await start(scratchDirectory());
  const names = async (setting: string) => {
    const client = new grpcHealthV1.Health(core.addresses[setting] ?? '', credentials.createInsecure());
    t.after(() => client.close());
    const { statuses } = await unary<HealthListResponse__Output>(done => client.list({}, done));
    assert.ok(Object.values(statuses).every(({ status }) => status === 'SERVING'));
    return Object.keys(statuses).sort();
  };
  const open = ['', 'gsq.v1.GameService', 'gsq.v1.ServerService'];
  assert.deepEqual(await names('GSQ_GRPC_ADDR'), open);
  const internal = [...open, 'gsq.v1.AdminService', 'gsq.v1.ProbeService'].sort();
  assert.deepEqual(await names('GSQ_INTERNAL_ADDR'), internal);
  await core.drain();
});

test('a draining core reports that it is not ready, but still answers calls in flight', async t => {
  const core = await start(scratchDirectory(), { GSQ_BOOTSTRAP_TOKEN: 'a token of the operator' });
  const ready = async () => {
    const response = await fetch(`http://${core.addresses.GSQ_CORE_OPS_ADDR}/readyz`);
    return [response.status, ((await response.json()) as { reason?: string }).reason];
  };
  assert.deepEqual(await ready(), [200, undefined]);
  // There is no prober, so this call waits for the full time of five seconds.
  const waiting = fetchFrom(t, core.addresses.GSQ_GRPC_ADDR ?? '', 'a token of the operator', 5_000);
  const metric = async () =>
    (await fetch(`http://${core.addresses.GSQ_CORE_OPS_ADDR}/metrics`).then(answer => answer.text())) ?? '';
  await until('the insert', metric, text => /gsq_servers\{status="pending"\} 1/.test(text));
  const drained = core.drain();
  const asked = ready();
  assert.equal((await waiting).meta?.autoInserted, 1);
  assert.deepEqual(await asked, [503, 'draining']);
  await drained;
});

test('the core offers AdminService and ProbeService only on the internal port', async t => {
  const directory = scratchDirectory();
  const core = await start(directory);
  const clientOf = (address = '') => {
    const client = clients.admin(address);
    t.after(() => client.close());
    return client;
  };
  const open = clientOf(core.addresses.GSQ_GRPC_ADDR);
  assert.equal((await failure(done => open.getStats({}, done))).code, 12);
  const internal = clientOf(core.addresses.GSQ_INTERNAL_ADDR);
  await unary(done => internal.getStats({}, internalMetadata(secretOf(directory)), done));
  const prober = clients.probe(core.addresses.GSQ_GRPC_ADDR ?? '');
  t.after(() => prober.close());
  const code = await new Promise(resolve =>
    prober.session().on('error', error => resolve(Reflect.get(error, 'code'))),
  );
  assert.equal(code, 12);
  await core.drain();
});

test('if GSQ_INTERNAL_SECRET is not set, the core creates a secret and requires it in calls, even on loopback', async t => {
  const directory = scratchDirectory();
  const first = await start(directory);
  const secret = secretOf(directory);
  assert.match(secret, /^[\w-]{43}$/);
  assert.equal(statSync(secretPath(directory)).mode & 0o777, 0o600);
  const client = clients.admin(first.addresses.GSQ_INTERNAL_ADDR ?? '');
  t.after(() => client.close());
  for (const metadata of [new Metadata(), internalMetadata(`${secret.slice(0, -1)}.`)]) {
    assert.equal((await failure(done => client.getStats({}, metadata, done))).ours?.code, 'AUTH_5');
  }
  await unary(done => client.getStats({}, internalMetadata(secret), done));
  await first.drain();
  await (await start(directory)).drain();
  assert.equal(secretOf(directory), secret);

  chmodSync(secretPath(directory), 0o644);
  const message =
    /^GSQ_DATA_DIR: \S+internal\.secret has mode 0644 and is open to others .*: chmod 600 \S+internal\.secret$/;
  await assert.rejects(start(directory), { name: 'ConfigError', message });
});

test('if GSQ_INTERNAL_SECRET is set, the core creates no secret file', async () => {
  const directory = scratchDirectory();
  await (await start(directory, { GSQ_INTERNAL_SECRET: 'between the two of us' })).drain();
  assert.throws(() => secretOf(directory), { code: 'ENOENT' });
});

const faults: [what: string, environment: Record<string, string>, message: RegExp][] = [
  [
    'an internal port outside loopback without TLS',
    { GSQ_INTERNAL_ADDR: '0.0.0.0:0', GSQ_INTERNAL_SECRET: 'between the two of us' },
    /^GSQ_INTERNAL_ADDR: 0\.0\.0\.0:0 is not loopback.* set GSQ_INTERNAL_TLS_CERT, GSQ_INTERNAL_TLS_KEY and GSQ_INTERNAL_TLS_CA/,
  ],
  [
    'an unknown value of GSQ_STORE',
    { GSQ_STORE: 'redis://x' },
    /^GSQ_STORE: "redis:\/\/x" is no storage engine/,
  ],
  [
    'a malformed address range',
    { GSQ_ALLOW_TARGETS: '10.0.0.0/99' },
    /^GSQ_ALLOW_TARGETS: "10.0.0.0\/99" is not a CIDR/,
  ],
  ['a missing catalog file', { GSQ_CATALOG: 'nowhere.json' }, /^GSQ_CATALOG: nowhere.json: cannot be read/],
  [
    'a bootstrap token that is too short',
    { GSQ_BOOTSTRAP_TOKEN: 'short' },
    /^GSQ_BOOTSTRAP_TOKEN: .*16 to 512/,
  ],
];
for (const [what, environment, message] of faults) {
  test(`${what} makes the start fail with a ConfigError that contains the setting`, async () => {
    await assert.rejects(start(scratchDirectory(), environment), { name: 'ConfigError', message });
  });
}
