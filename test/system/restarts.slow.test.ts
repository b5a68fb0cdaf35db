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
/** Answers of the load generator to wait for, before and after the event. */
const AROUND = 2_000;
/** The detector accepts silence as proof only after 55 s, and probes of one address wait for each other. */
const VERDICT_MS = 150_000;
/** Longest time of a lease, ms. */
const LEASE_MS = 30_000;
/** Time within which a frozen core is noticed, ms. */
const NOTICED_MS = 3_000;
/** Longest time of 503s after the core was killed, ms. */
const REFUSED_MS = 1_000;

let service: Launched;
let games: A2sServer[];
let addresses: string[];
/** A server that never answers. */
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

/** The status of every server, by address. */
async function fetchAll(): Promise<Record<string, string>> {
  const body = (await (await fetchOnce()).json()) as Record<string, { _updater: { status: string } }>;
  return Object.fromEntries(addresses.map(address => [address, body[address]?._updater.status ?? '']));
}

/** Returns whether a process reports that it is ready. */
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

/** Ends the newest run of a process by a signal and resolves when the next one runs. */
async function restart(name: string, signal: NodeJS.Signals): Promise<void> {
  const runs = service.runs(name).length;
  service.signal(name, signal);
  await until(
    `another run of ${name}`,
    () => service.runs(name).length,
    count => count > runs,
  );
}

/** Restarts the core under load and resolves to what callers saw. */
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

test('a drained restart of the core under 1000 fetches a second causes no error', async t => {
  const { statuses, requests } = await restartUnderLoad(t, 'SIGTERM');
  assert.deepEqual(statuses, { 200: requests });
});

test('a killed core under 1000 fetches a second causes at most a second of 503s, and no other error', async t => {
  const { statuses, requests, refusedMs } = await restartUnderLoad(t, 'SIGKILL');
  assert.equal((statuses[200] ?? 0) + (statuses[503] ?? 0), requests, JSON.stringify(statuses));
  assert.ok(refusedMs <= REFUSED_MS, `503s were answered for ${refusedMs} ms`);
});

for (const signal of ['SIGTERM', 'SIGKILL'] as const) {
  test(`a restarted prober (${signal}) loses no status, invents none, and its leases are given out again in time`, async t => {
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

test('a frozen core is noticed within three seconds: processes report not ready and requests fail at once, then everything recovers', async t => {
  const history = new StatusHistory(service.addresses.GSQ_GRPC_ADDR ?? '', GAME, addresses);
  t.after(() => history.stop());
  await until(
    'news of all',
    () => addresses.every(address => history.newest(address)),
    all => all,
  );
  const frozenAt = performance.now();
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
  const noticed = performance.now() - frozenAt;
  const caught = await inFlight;
  const answered = performance.now() - frozenAt;
  const next = await fetchOnce();
  const failed = performance.now() - frozenAt - answered;
  t.diagnostic(
    `noticed after ${Math.round(noticed)} ms, a request under way answered after ${Math.round(answered)} ms, the next within ${Math.round(failed)} ms`,
  );
  for (const response of [caught, next]) {
    assert.deepEqual([response.status, response.headers.get('retry-after')], [503, '1']);
    assert.equal(((await response.json()) as { error: string }).error, 'CORE_1');
  }
  assert.ok(noticed <= NOTICED_MS, `noticed after ${noticed} ms`);
  assert.ok(answered <= NOTICED_MS, `answered after ${answered} ms`);
  assert.ok(failed < NOTICED_MS - 2_000, `the next request waited for ${failed} ms`);

  const thawedAt = Date.now();
  service.signal('core', 'SIGCONT');
  for (const setting of ['GSQ_GATEWAY_OPS_ADDR', 'GSQ_PROBER_OPS_ADDR']) {
    await until(
      `${setting} to be ready`,
      () => isReady(setting),
      ready => ready,
    );
  }
  assert.equal((await fetchOnce()).status, 200);
  await until(
    'news of all since',
    () => games.every(({ address }) => (history.newest(address)?.lastProbeAt ?? 0) > thawedAt),
    all => all,
  );
  const faults = games.flatMap(({ address }, i) => faultsOf(address, history.of(address), nameOf(i)));
  assert.deepEqual(faults, []);
});
