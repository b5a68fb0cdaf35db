import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { CoreLinks, type CoreLinksOptions } from '../../../gateway/upstream/core-links.ts';
import { insecure } from '../../../proto/clients.ts';
import { createLogger } from '../../../runtime/log.ts';
import { agreeable } from '../core-scripts.ts';
import { ScriptedCore } from '../scripted-core.ts';
import { StallingProxy } from '../stalling-proxy.ts';
import { call, failureOf, LONG_MS, SECRET } from './link-under-test.ts';

/** Fake list of the cores of a cluster. The test decides which cores it contains. */
class FakeMembers {
  addresses: readonly string[];
  readonly #listeners = new Set<() => void>();

  constructor(...addresses: string[]) {
    this.addresses = addresses;
  }

  watch(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  change(...addresses: string[]): void {
    this.addresses = addresses;
    for (const listener of this.#listeners) listener();
  }
}

async function startCores(t: TestContext, count: number): Promise<ScriptedCore[]> {
  const cores = Array.from({ length: count }, () => new ScriptedCore());
  for (const core of cores) {
    await core.start();
    t.after(() => core.stop());
  }
  return cores;
}

function openLinks(t: TestContext, members: FakeMembers, options: Partial<CoreLinksOptions> = {}): CoreLinks {
  const links = new CoreLinks({
    members,
    secret: SECRET,
    security: () => insecure,
    log: createLogger('gateway', 'silent'),
    leaveMs: LONG_MS,
    ...options,
  });
  t.after(() => links.close(0));
  return links;
}

/** Opens the gateway's links to all cores, and waits until all streams are open. */
async function connect(t: TestContext, cores: readonly ScriptedCore[]) {
  const members = new FakeMembers(...cores.map(({ address }) => address));
  const links = openLinks(t, members);
  await Promise.all(cores.map(core => core.until(() => core.streams >= 4)));
  return { members, links };
}

/**
 * Waits until `met` returns true. Calls `met` now, and each time the gateway notices that a core starts or stops to
 * respond.
 */
function noticed(links: CoreLinks, met: () => boolean): Promise<void> {
  return new Promise(resolve => {
    const check = (): void => {
      if (met()) resolve();
    };
    links.cores.watch(check);
    check();
  });
}

const allRespond = (links: CoreLinks) => () => links.cores.states.every(({ responds }) => responds);

/** Returns the number of calls that each fake core has received. */
const callCounts = (cores: readonly ScriptedCore[]): number[] => cores.map(({ calls }) => calls.length);

/** Returns a token whose calls the gateway sends to `core`. */
function tokenOf(links: CoreLinks, { address }: ScriptedCore): string {
  for (let i = 0; ; i++) if (links.cores.pickCore(`token-${i}`) === address) return `token-${i}`;
}

test('two gateways send all calls with the same token to the same core, and spread the tokens over the cores', async t => {
  const cores = await startCores(t, 3);
  const [{ links: one }, { links: other }] = [await connect(t, cores), await connect(t, cores)];
  const tokens = Array.from({ length: 30 }, (_, i) => `token-${i}`);
  for (const token of tokens) {
    await call(one, null, { token });
    await call(other, null, { token });
  }
  for (const { calls } of cores) {
    assert.ok(calls.length > 0);
    for (const token of tokens) {
      const count = calls.filter(({ credentials }) => credentials?.token === token).length;
      assert.ok(count === 0 || count === 2, `${token}: ${count}`);
    }
  }
});

test('if a core dies, another core answers new calls and the calls that the dead core had not answered', async t => {
  const cores = await startCores(t, 2);
  const [dying, living] = cores as [ScriptedCore, ScriptedCore];
  const { links } = await connect(t, cores);
  dying.script = () => undefined;
  const token = tokenOf(links, dying);
  const pending = Array.from({ length: 300 }, (_, i) => call(links, null, { token, requestId: `r${i}` }));
  await dying.until(() => dying.calls.length === 300);
  dying.stop();
  await Promise.all(pending);
  await call(links, null, { token });
  assert.equal(new Set(living.calls.map(({ requestId }) => requestId)).size, 301);
  assert.equal(new Set(living.calls.map(({ id }) => id)).size, living.calls.length);
  // The gateway sends the unanswered calls of a dead core to another core. The gateway marks these calls as `held`, so
  // that they do not count against the burst limit (requests per second).
  assert.ok(living.calls.slice(0, 300).every(({ held }) => held));
  assert.equal(links.connected, true);
});

test('while a core is frozen, another core answers the calls of the tokens that are assigned to the frozen core', async t => {
  const cores = await startCores(t, 2);
  const [core, living] = cores as [ScriptedCore, ScriptedCore];
  const proxy = await StallingProxy.start(core.address);
  t.after(() => proxy.stop());
  const links = openLinks(t, new FakeMembers(proxy.address, living.address));
  await Promise.all(cores.map(one => one.until(() => one.streams === 4)));
  let token = 'token';
  while (links.cores.pickCore(token) !== proxy.address) token += '.';
  await call(links, null, { token });
  assert.deepEqual(callCounts(cores), [1, 0]);
  proxy.stall();
  await Promise.all([call(links, null, { token }), call(links, null, { token })]);
  assert.equal(living.calls.length, 2);
  proxy.resume();
  await noticed(links, allRespond(links));
  const before = core.calls.length;
  await call(links, null, { token });
  assert.ok(core.calls.length > before);
  assert.equal(living.calls.length, 2);
});

test('when a core joins the cluster, the gateway sends the calls of some tokens to this core', async t => {
  const cores = await startCores(t, 2);
  const [first, joining] = cores as [ScriptedCore, ScriptedCore];
  const { members, links } = await connect(t, [first]);
  await call(links, null, { token: 'any' });
  members.change(first.address, joining.address);
  await joining.until(() => joining.streams === 4);
  await noticed(links, allRespond(links));
  await call(links, null, { token: tokenOf(links, joining) });
  await call(links, null, { token: tokenOf(links, first) });
  assert.deepEqual(callCounts(cores), [2, 1]);
});

test('the gateway sends no new calls to a core that left the cluster, and closes the streams to this core after its last answer', async t => {
  const cores = await startCores(t, 2);
  const [leaving, living] = cores as [ScriptedCore, ScriptedCore];
  const { members, links } = await connect(t, cores);
  leaving.script = () => undefined;
  const token = tokenOf(links, leaving);
  const last = call(links, null, { token });
  await leaving.until(() => leaving.calls.length === 1);
  members.change(living.address);
  await call(links, null, { token });
  assert.equal(links.inFlight, 1);
  const [{ id } = { id: 0 }] = leaving.calls;
  leaving.say({ ...agreeable({ action: 'check' } as never), id });
  await last;
  await leaving.until(() => leaving.streams === 0);
  assert.deepEqual(callCounts(cores), [1, 1]);
});

test('if a core leaves the cluster and then closes its streams, another core answers the calls that the leaving core has not answered', async t => {
  const cores = await startCores(t, 2);
  const [leaving, living] = cores as [ScriptedCore, ScriptedCore];
  const { members, links } = await connect(t, cores);
  leaving.script = () => undefined;
  const last = call(links, null, { token: tokenOf(links, leaving) });
  await leaving.until(() => leaving.calls.length === 1);
  members.change(living.address);
  leaving.stop();
  await last;
  assert.deepEqual(callCounts(cores), [1, 1]);
});

test('if the last connected core leaves the cluster, the gateway still calls this core until a new core is connected', async t => {
  const cores = await startCores(t, 2);
  const [first, next] = cores as [ScriptedCore, ScriptedCore];
  const { members, links } = await connect(t, [first]);
  next.stop();
  members.change(next.address);
  await call(links, null, { token: 'any' });
  assert.equal(links.connected, true);
  assert.deepEqual(callCounts(cores), [1, 0]);
  await next.start();
  await next.until(() => next.streams === 4);
  await first.until(() => first.streams === 0);
  await call(links, null, { token: 'any' });
  assert.deepEqual(callCounts(cores), [1, 1]);
});

test('while no core responds, calls wait in the gateway, and the first core that responds again answers all these calls', async t => {
  const cores = await startCores(t, 2);
  const { links } = await connect(t, cores);
  const [back, dead] = cores as [ScriptedCore, ScriptedCore];
  const tokens = [tokenOf(links, back), tokenOf(links, dead)];
  for (const core of cores) core.stop();
  await noticed(links, () => !links.connected);
  const parked = tokens.map(token => call(links, null, { token }));
  await back.start();
  await Promise.all(parked);
  assert.deepEqual(callCounts(cores), [2, 0]);
});

test('after stopParking() (calls may no longer wait for a core), a call fails immediately with CORE_1 if no core responds', async t => {
  const cores = await startCores(t, 2);
  const { links } = await connect(t, cores);
  const token = tokenOf(links, cores[0] as ScriptedCore);
  for (const core of cores) core.script = () => undefined;
  const pending = call(links, null, { token });
  await cores[0]?.until(() => cores[0]?.calls.length === 1);
  links.stopParking();
  for (const core of cores) core.stop();
  assert.equal((await failureOf(pending)).code, 'CORE_1');
  assert.equal((await failureOf(call(links, null, { token }))).code, 'CORE_1');
});

test('after a restart at the same address, a core gets the calls of its previous tokens again', async t => {
  const cores = await startCores(t, 2);
  const { members, links } = await connect(t, cores);
  const [core, other] = cores as [ScriptedCore, ScriptedCore];
  const token = tokenOf(links, core);
  core.stop();
  await noticed(links, () => links.cores.pickCore(token) !== core.address);
  members.change(other.address);
  await call(links, null, { token });
  await core.start();
  members.change(core.address, other.address);
  await core.until(() => core.streams === 4);
  await noticed(links, () => links.cores.pickCore(token) === core.address);
  await call(links, null, { token });
  assert.deepEqual(callCounts(cores), [1, 1]);
});
