import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DispatchedWorld } from './dispatched-world.ts';

const MINUTE = 60_000;
const HOST = Array.from({ length: 20 }, (_, i) => `9.9.9.9:${27_000 + i}`);
const OTHERS = Array.from({ length: 20 }, (_, i) => `5.5.${i}.5:27015`);

for (const minutes of [10, 40]) {
  test(`if a host is down for ${minutes} minutes, all its servers are online again within 10 s after the first one`, async t => {
    const world = await DispatchedWorld.of(t, [...HOST, ...OTHERS]);
    await world.pass(5 * MINUTE);
    world.answers = address => !address.startsWith('9.');
    await world.pass(minutes * MINUTE);
    assert.deepEqual(world.offline, HOST);
    world.answers = () => true;
    for (let waited = 0; world.offline.length === HOST.length; waited++) {
      assert.ok(waited < 60 * 60, 'no server of the host was probed for an hour');
      await world.pass(1_000);
    }
    await world.pass(10_000);
    assert.deepEqual(world.offline, []);
  });
}
