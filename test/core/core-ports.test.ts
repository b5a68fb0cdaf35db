import assert from 'node:assert/strict';
import { chmodSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { credentials, Metadata } from '@grpc/grpc-js';
import { clients, internalMetadata } from '../../proto/clients.ts';
import { grpcHealthV1 } from '../../proto/descriptors.ts';
import type { HealthListResponse__Output } from '../../proto/generated/grpc/health/v1/HealthListResponse.ts';
import { scratchDirectory } from '../system/scratch-directory.ts';
import { failure, unary } from './rpc/answer.ts';
import { startedCore } from './started-core.ts';

const secretPath = (directory: string): string => join(directory, 'data', 'internal.secret');
const secretOf = (directory: string): string => readFileSync(secretPath(directory), 'utf8').trim();

test('the gRPC health service of each port lists the services of that port as SERVING', async t => {
  const core = await startedCore(scratchDirectory());
  const names = async (setting: string) => {
    const client = new grpcHealthV1.Health(core.addresses[setting] ?? '', credentials.createInsecure());
    t.after(() => client.close());
    const { statuses } = await unary<HealthListResponse__Output>(done => client.list({}, done));
    assert.ok(Object.values(statuses).every(({ status }) => status === 'SERVING'));
    return Object.keys(statuses).sort();
  };
  const open = [
    '',
    'gsq.v1.GameService',
    'gsq.v1.HistoryService',
    'gsq.v1.ServerService',
    'gsq.v1.WebhookService',
  ];
  assert.deepEqual(await names('GSQ_GRPC_ADDR'), open);
  const internal = [
    ...open,
    'gsq.v1.AdminService',
    'gsq.v1.ClusterService',
    'gsq.v1.NotifyService',
    'gsq.v1.ProbeService',
  ].sort();
  assert.deepEqual(await names('GSQ_INTERNAL_ADDR'), internal);
  await core.drain();
});

test('the core offers AdminService and ProbeService only on the internal port', async t => {
  const directory = scratchDirectory();
  const core = await startedCore(directory);
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
  const first = await startedCore(directory);
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
  await (await startedCore(directory)).drain();
  assert.equal(secretOf(directory), secret);

  chmodSync(secretPath(directory), 0o644);
  const message =
    /^GSQ_DATA_DIR: \S+internal\.secret has mode 0644 and is open to other users .*: chmod 600 \S+internal\.secret$/;
  await assert.rejects(startedCore(directory), { name: 'ConfigError', message });
});

test('if GSQ_INTERNAL_SECRET is set, the core creates no secret file', async () => {
  const directory = scratchDirectory();
  await (await startedCore(directory, { GSQ_INTERNAL_SECRET: 'between the two of us' })).drain();
  assert.throws(() => secretOf(directory), { code: 'ENOENT' });
});
