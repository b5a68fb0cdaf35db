import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FREE_DAY_QUOTA } from '../../../core/access/allowance.ts';
import { until } from '../../system/until.ts';
import { AccountCluster, charge } from './account-cluster.ts';

const caller = { address: '127.0.0.1', domain: '' };

test('the core that admits a request counts it against the quota immediately, and all other cores count it soon after', async t => {
  const world = new AccountCluster(t);
  const [lead, second, third] = [await world.join('a'), await world.join('b'), await world.join('c')];
  await world.lead(lead);
  const { id } = await world.createToken(lead);
  charge(second, id, 3);
  charge(lead, id, 2);
  assert.deepEqual([second.quota.used(id), lead.quota.used(id)], [3, 2]);
  await until(
    'the requests on the third core',
    () => third.quota.used(id),
    used => used === 5,
  );
  await until(
    'the requests on the second core',
    () => second.quota.used(id),
    used => used === 5,
  );
  assert.equal(lead.quota.used(id), 5);
});

test('a FREE token that has used up its daily quota on one core is refused by all cores', async t => {
  const world = new AccountCluster(t);
  const [lead, second, third] = [await world.join('a'), await world.join('b'), await world.join('c')];
  await world.lead(lead);
  const { id, credentials } = await world.createToken(lead);
  charge(second, id, FREE_DAY_QUOTA);
  await world.settle();
  for (const core of [lead, second, third])
    await assert.rejects(core.authenticator.admit({ ...credentials }, caller), { code: 'QUOTA_1' });
});

test('the lead (the core that writes the tokens) stores the time of the last request of a token, even if another core admitted this request', async t => {
  const world = new AccountCluster(t);
  const [lead, second] = [await world.join('a'), await world.join('b')];
  await world.lead(lead);
  const { id, credentials } = await world.createToken(lead);
  await until('the token on the second core', () => second.tokens.get(id), Boolean);
  world.clock.at += 5_000;
  await second.authenticator.admit({ ...credentials }, caller);
  await world.settle();
  assert.equal(lead.lastUse.at(id), world.clock.at);
  await world.retire(lead);
  assert.ok(world.durable.has(`u/${id}`));
  await world.lead(second);
  assert.equal(second.lastUse.at(id), world.clock.at);
});
