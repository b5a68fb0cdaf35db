import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ScriptedCore } from '../scripted-core.ts';
import { StallingProxy } from '../stalling-proxy.ts';
import { call, failureOf } from './link-under-test.ts';
import {
  allRespond,
  callCounts,
  connect,
  FakeMembers,
  noticed,
  openLinks,
  startCores,
  tokenOf,
} from './links-to-fake-cores.ts';

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
