import assert from 'node:assert/strict';
import { after, before, type TestContext, test } from 'node:test';
import { A2sServer } from './a2s-server.ts';
import { FetchLoad, reportOf } from './fetch-load.ts';
import { Launched } from './launched.ts';
import { bootstrap } from './stack-settings.ts';
import { faultsOf, StatusHistory } from './status-history.ts';
import { until } from './until.ts';

const GAME = 'css';
const RATE = 1_000;
const SERVERS = 20;
/** Number of fetch answers for which the test waits before it restarts the core, and again after the restart. */
const AROUND = 2_000;
/**
 * Longest time until the core reports the silent server as offline, in ms. The core needs at least 55 s, and can need
 * longer in this test: all servers have the same IP address, so their probes wait for each other.
 */
const VERDICT_MS = 150_000;
/** Duration of a lease (time in which a prober must report the result of a probe), in milliseconds. */
const LEASE_MS = 30_000;
/** Longest time until gateway and prober notice that the core is frozen (SIGSTOP), in milliseconds. */
const NOTICED_MS = 3_000;
/** Longest time for which callers get 503 after the core was killed, in milliseconds. */
const REFUSED_MS = 1_000;

let service: Launched;
let games: A2sServer[];
let addresses: string[];
/** A game server that never answers. */
let silent: A2sServer;

const nameOf = (i: number): string => `Server ${i}`;

before(async () => {
  games = await Promise.all(Array.from({ length: SERVERS }, (_, i) => A2sServer.start({ name: nameOf(i) })));
  silent = await A2sServer.start({ manner: 'silent' });
  addresses = [...games, silent].map(({ address }) => address);
  service = await Launched.start({ GSQ_PROBE_INTERVAL: '1s' });
  const allKnown = (all: Record<string, string>): boolean => {
    const statuses = Object.entries(all).map(([address, status]) => [address === silent.address, status]);
    return statuses.every(([isSilent, status]) => status === (isSilent ? 'offline' : 'online'));
  };
  await until('all but one online', fetchAll, allKnown, VERDICT_MS);
});

after(async () => {
  for (const game of [...games, silent]) game.stop();
  assert.equal(await service.launcher.stop(), 0, service.launcher.report);
});

function fetchOnce(): Promise<Response> {
  return fetch(`http://${service.addresses.GSQ_HTTP_ADDR}/v1/post/fetch`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'x-api-token': bootstrap.token,
      'x-api-token-type': bootstrap.tier,
      'x-api-token-email': bootstrap.email,
    },
    body: JSON.stringify({ servers: [{ game_id: GAME, servers: addresses }] }),
  });
}

/** Fetches all servers of the test over REST. Returns their statuses, keyed by address. */
async function fetchAll(): Promise<Record<string, string>> {
  const body = (await (await fetchOnce()).json()) as Record<string, { _updater: { status: string } }>;
  return Object.fromEntries(addresses.map(address => [address, body[address]?._updater.status ?? '']));
}

/**
 * Returns true if a process reports that it is ready. `setting` is the name of the setting that contains the address of
 * its ops endpoint.
 */
async function isReady(setting: string): Promise<boolean> {
  return (await fetch(`http://${service.addresses[setting]}/readyz`)).ok;
}

const moreAnswers = (load: FetchLoad, count: number): Promise<unknown> => {
  const from = load.answers.length;
  return until(
    `${count} answers`,
    () => load.answers.length - from,
    more => more >= count,
  );
};

/** Ends a process of the service with a signal. Resolves when the launcher has started the process again. */
async function restart(name: string, signal: NodeJS.Signals): Promise<void> {
  const runs = service.runs(name).length;
  service.signal(name, signal);
  await until(
    `another run of ${name}`,
    () => service.runs(name).length,
    count => count > runs,
  );
}

/** Restarts the core while callers fetch servers. Resolves with the summary of the answers that the callers got. */
async function restartUnderLoad(t: TestContext, signal: NodeJS.Signals) {
  const load = new FetchLoad(service.addresses.GSQ_HTTP_ADDR ?? '', RATE, GAME, addresses.slice(0, 10));
  await moreAnswers(load, AROUND);
  await restart('core', signal);
  await until(
    'the gateway to be ready',
    () => isReady('GSQ_GATEWAY_OPS_ADDR'),
    ready => ready,
  );
  await moreAnswers(load, AROUND);
  await load.stop();
  const report = reportOf(load.answers);
  t.diagnostic(`${signal}: ${JSON.stringify(report)}`);
  assert.equal(load.unsent, 0, 'more callers had to wait than there may be');
  const first = Math.min(...load.answers.map(({ dueAt }) => dueAt));
  const last = Math.max(...load.answers.map(({ dueAt }) => dueAt));
  assert.ok(load.answers.length >= ((last - first) / 1000) * RATE * 0.99, 'it was not the load it should be');
  for (const { status, retryAfter } of load.answers) if (status === 503) assert.ok(retryAfter);
  return report;
}

test('a restart of the core by SIGTERM causes no error under a load of 1000 fetches per second', async t => {
  const { statuses, requests } = await restartUnderLoad(t, 'SIGTERM');
  assert.deepEqual(statuses, { 200: requests });
});

test('if a core is killed during 1000 fetches per second, callers get 503 for at most one second, and no other error', async t => {
  const { statuses, requests, refusedMs } = await restartUnderLoad(t, 'SIGKILL');
  assert.equal((statuses[200] ?? 0) + (statuses[503] ?? 0), requests, JSON.stringify(statuses));
  assert.ok(refusedMs <= REFUSED_MS, `503s were answered for ${refusedMs} ms`);
});

for (const signal of ['SIGTERM', 'SIGKILL'] as const) {
  test(`after a restart of the prober by ${signal}, every server is probed within 30 s and all statuses are correct`, async t => {
    const history = new StatusHistory(service.addresses.GSQ_GRPC_ADDR ?? '', GAME, addresses);
    t.after(() => history.stop());
    const allSeenSince = (since: number): boolean =>
      games.every(({ address }) => (history.newest(address)?.lastProbeAt ?? 0) > since);
    await until(
      'news of all',
      () => allSeenSince(0),
      all => all,
    );
    const at = Date.now();
    await restart('prober', signal);
    await until(
      'a probe of each since',
      () => allSeenSince(at),
      all => all,
      LEASE_MS,
    );
    t.diagnostic(`${signal}: all were probed again after ${Date.now() - at} ms`);
    const faults = games.flatMap(({ address }, i) => faultsOf(address, history.of(address), nameOf(i)));
    assert.deepEqual(faults, []);
    const ofSilent = history.of(silent.address).map(({ status }) => status);
    assert.deepEqual([...new Set(ofSilent)], ['SERVER_STATUS_OFFLINE']);
  });
}

test('gateway and prober report "not ready" at most 3 s after the core freezes, and recover after the core continues', async t => {
  const history = new StatusHistory(service.addresses.GSQ_GRPC_ADDR ?? '', GAME, addresses);
  t.after(() => history.stop());
  await until(
    'news of all',
    () => addresses.every(address => history.newest(address)),
    all => all,
  );
  const stoppedAt = performance.now();
  service.signal('core', 'SIGSTOP');
  t.after(() => service.signal('core', 'SIGCONT'));
  const inFlight = fetchOnce();
  for (const setting of ['GSQ_GATEWAY_OPS_ADDR', 'GSQ_PROBER_OPS_ADDR']) {
    await until(
      `${setting} to say so`,
      () => isReady(setting),
      ready => !ready,
    );
  }
  const noticed = performance.now() - stoppedAt;
  t.diagnostic(`noticed after ${Math.round(noticed)} ms`);
  assert.ok(noticed <= NOTICED_MS, `noticed after ${noticed} ms`);
  const parked = fetchOnce();

  const continuedAt = Date.now();
  service.signal('core', 'SIGCONT');
  for (const setting of ['GSQ_GATEWAY_OPS_ADDR', 'GSQ_PROBER_OPS_ADDR']) {
    await until(
      `${setting} to be ready`,
      () => isReady(setting),
      ready => ready,
    );
  }
  for (const response of [await inFlight, await parked, await fetchOnce()])
    assert.equal(response.status, 200);
  await until(
    'news of all since',
    () => games.every(({ address }) => (history.newest(address)?.lastProbeAt ?? 0) > continuedAt),
    all => all,
  );
  const faults = games.flatMap(({ address }, i) => faultsOf(address, history.of(address), nameOf(i)));
  assert.deepEqual(faults, []);
});
