import assert from 'node:assert/strict';
import { test } from 'node:test';
import { agreeable } from '../core-scripts.ts';
import type { ScriptedCore } from '../scripted-core.ts';
import { call } from './link-under-test.ts';
import { allRespond, callCounts, connect, noticed, startCores, tokenOf } from './links-to-fake-cores.ts';

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
