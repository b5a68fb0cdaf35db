import assert from 'node:assert/strict';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { pino } from 'pino';
import { startCore } from '../../core/core.ts';
import { clients, credentialKeys, internalMetadata } from '../../proto/clients.ts';
import type { FetchServersResponse__Output } from '../../proto/generated/gsq/v1/FetchServersResponse.ts';
import { settings } from '../../proto/settings.ts';
import { loadConfig } from '../../runtime/config.ts';
import { scratchDirectory } from '../system/scratch-directory.ts';
import { failure, unary } from './rpc/answer.ts';

/** Starts a core on free ports of loopback, with this environment on top. */
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

async function fetchFrom(t: TestContext, address: string, token: string) {
  const client = clients.server(address);
  t.after(() => client.close());
  const metadata = internalMetadata(undefined);
  metadata.set(credentialKeys.token, token);
  metadata.set(credentialKeys.tier, 'FREE');
  metadata.set(credentialKeys.email, 'admin@localhost');
  const request = { servers: [{ gameId: 'cs2', servers: ['1.2.3.4:27015'] }] };
  return unary<FetchServersResponse__Output>(done => client.fetchServers(request, metadata, done));
}

test('a restart keeps tokens and servers', async t => {
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

test('a bootstrap token is made as configured, and told to nobody', async t => {
  const token = 'a token of the operator';
  const core = await start(scratchDirectory(), { GSQ_BOOTSTRAP_TOKEN: token });
  assert.equal(core.notes, undefined);
  await fetchFrom(t, core.addresses.GSQ_GRPC_ADDR ?? '', token);
  await core.drain();
});

test('AdminService and ProbeService are on the internal port alone', async t => {
  const core = await start(scratchDirectory());
  const clientOf = (address = '') => {
    const client = clients.admin(address);
    t.after(() => client.close());
    return client;
  };
  const open = clientOf(core.addresses.GSQ_GRPC_ADDR);
  assert.equal((await failure(done => open.getStats({}, done))).code, 12);
  const internal = clientOf(core.addresses.GSQ_INTERNAL_ADDR);
  await unary(done => internal.getStats({}, done));
  const prober = clients.probe(core.addresses.GSQ_GRPC_ADDR ?? '');
  t.after(() => prober.close());
  const code = await new Promise(resolve =>
    prober.session().on('error', error => resolve(Reflect.get(error, 'code'))),
  );
  assert.equal(code, 12);
  await core.drain();
});

const faults: [what: string, environment: Record<string, string>, message: RegExp][] = [
  [
    'an open internal port without a secret',
    { GSQ_INTERNAL_ADDR: '0.0.0.0:0' },
    /^GSQ_INTERNAL_ADDR: .*GSQ_INTERNAL_SECRET/,
  ],
  ['a store that is none', { GSQ_STORE: 'redis://x' }, /^GSQ_STORE: "redis:\/\/x" is no storage engine/],
  [
    'a range that is none',
    { GSQ_ALLOW_TARGETS: '10.0.0.0/99' },
    /^GSQ_ALLOW_TARGETS: "10.0.0.0\/99" is not a CIDR/,
  ],
  ['no catalog', { GSQ_CATALOG: 'nowhere.json' }, /^GSQ_CATALOG: nowhere.json: cannot be read/],
  ['a bootstrap token too short', { GSQ_BOOTSTRAP_TOKEN: 'short' }, /^GSQ_BOOTSTRAP_TOKEN: .*16 to 512/],
];
for (const [what, environment, message] of faults) {
  test(`${what} is a start-up error that names the setting`, async () => {
    await assert.rejects(start(scratchDirectory(), environment), { name: 'ConfigError', message });
  });
}
