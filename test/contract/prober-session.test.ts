import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { until } from '../system/until.ts';
import { fetchOne } from './rest.ts';
import { online, ScriptedProber } from './scripted-prober.ts';
import { ScriptedStack } from './scripted-stack.ts';

describe('ProbeService.Session', () => {
  let stack: ScriptedStack;
  before(async () => {
    stack = await ScriptedStack.start();
  });
  after(() => stack.stop());

  it('sends leases (orders to probe a server) to a prober, and acknowledges the reports of the prober', async () => {
    const address = '127.0.0.1:27902';
    stack.prober.find('csgo', address, online(9));
    await fetchOne(stack.http, 'csgo', address);
    const look = () => fetchOne(stack.http, 'csgo', address);
    await until('the report of a prober', look, ({ players }) => players === 9);
    await until(
      'an acknowledgement',
      () => stack.prober.acks.length,
      count => count > 0,
    );
    assert.deepEqual(stack.prober.welcome?.allowTargets, ['127.0.0.0/8']);
    const [lease] = stack.prober.leases;
    assert.deepEqual(
      [lease?.gameId, lease?.host, lease?.port, lease?.protocol, lease?.queryPorts, lease?.confirm],
      ['csgo', '127.0.0.1', 27902, 'a2s', [27902], false],
    );
    assert.deepEqual(
      stack.prober.acks,
      Array.from(stack.prober.acks.keys(), at => at + 1),
    );
  });

  it('gives the leases (orders to probe) of a disconnected prober to another prober immediately', async () => {
    const address = '127.0.0.1:27903';
    const leases = (who: ScriptedProber) => who.leases.filter(({ port }) => port === 27903).length;
    await fetchOne(stack.http, 'csgo', address);
    await until(
      'the first lease',
      () => leases(stack.prober),
      count => count === 1,
    );
    const second = new ScriptedProber(stack.internals);
    second.find('csgo', address, online(4));
    stack.prober.leave();
    const look = () => fetchOne(stack.http, 'csgo', address);
    await until('the report of the second', look, ({ players }) => players === 4);
    second.leave();
  });
});
