import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { Metadata } from '@grpc/grpc-js';
import { clients, credentialKeys } from '../../proto/clients.ts';
import type { FetchServersResponse__Output } from '../../proto/generated/gsq/v1/FetchServersResponse.ts';
import { operatorEmail } from '../../runtime/operator-email.ts';
import { scratchDirectory } from '../system/scratch-directory.ts';
import { until } from '../system/until.ts';
import { unary } from './rpc/answer.ts';
import { startedCore } from './started-core.ts';

async function fetchFrom(t: TestContext, address: string, token: string, waitMs = 0) {
  const client = clients.server(address);
  t.after(() => client.close());
  const metadata = new Metadata();
  metadata.set(credentialKeys.token, token);
  metadata.set(credentialKeys.tier, 'FREE');
  metadata.set(credentialKeys.email, operatorEmail());
  const request = { servers: [{ gameId: 'cs2', servers: ['1.2.3.4:27015'] }], waitMs };
  return unary<FetchServersResponse__Output>(done => client.fetchServers(request, metadata, done));
}

test('a restart of the core keeps tokens and servers', async t => {
  const directory = scratchDirectory();
  const token = 'a token of the operator';
  const first = await startedCore(directory, { GSQ_BOOTSTRAP_TOKEN: token });
  const fresh = await fetchFrom(t, first.addresses.GSQ_GRPC_ADDR ?? '', token);
  assert.equal(fresh.meta?.autoInserted, 1);
  await first.drain();

  const second = await startedCore(directory);
  const again = await fetchFrom(t, second.addresses.GSQ_GRPC_ADDR ?? '', token);
  assert.deepEqual(
    [again.meta?.autoInserted, again.results[0]?.updater?.status],
    [0, 'SERVER_STATUS_PENDING'],
  );
  await second.drain();
});

test('the core creates the token of GSQ_BOOTSTRAP_TOKEN and does not print its secret', async t => {
  const token = 'a token of the operator';
  const core = await startedCore(scratchDirectory(), { GSQ_BOOTSTRAP_TOKEN: token });
  assert.equal(core.notes, undefined);
  await fetchFrom(t, core.addresses.GSQ_GRPC_ADDR ?? '', token);
  await core.drain();
});

test('a draining core reports that it is not ready, but still answers calls in flight', async t => {
  const core = await startedCore(scratchDirectory(), { GSQ_BOOTSTRAP_TOKEN: 'a token of the operator' });
  const ready = async () => {
    const response = await fetch(`http://${core.addresses.GSQ_CORE_OPS_ADDR}/readyz`);
    return [response.status, ((await response.json()) as { reason?: string }).reason];
  };
  assert.deepEqual(await ready(), [200, undefined]);
  // No prober runs, so this fetch gets its answer only after the full waiting time of five seconds.
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

const faults: [what: string, environment: Record<string, string>, message: RegExp][] = [
  [
    'an internal port outside loopback without TLS',
    { GSQ_INTERNAL_ADDR: '0.0.0.0:0', GSQ_INTERNAL_SECRET: 'between the two of us' },
    /^GSQ_INTERNAL_ADDR: 0\.0\.0\.0:0 is not loopback.* set GSQ_INTERNAL_TLS_CERT, GSQ_INTERNAL_TLS_KEY and GSQ_INTERNAL_TLS_CA/,
  ],
  ['an unknown value of GSQ_STORE', { GSQ_STORE: 'paper' }, /^GSQ_STORE: "paper" is not a storage engine/],
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
  test(`the core does not start with ${what}, and the message of the ConfigError begins with the name of the setting`, async () => {
    await assert.rejects(startedCore(scratchDirectory(), environment), { name: 'ConfigError', message });
  });
}
