import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FREE_DAY_QUOTA } from '../../../core/access/allowance.ts';
import { storedUsage, USAGES } from '../../../core/access/day-quota.ts';
import { randomNumbers } from '../../system/random-numbers.ts';
import { AccountCluster, type AccountCore, charge } from './account-cluster.ts';

const MINUTE_MS = 60_000;

/** Returns how many requests of each token the storage engine has stored. */
function storedCounts({ durable }: AccountCluster): Map<string, number> {
  const counts = new Map<string, number>();
  for (const [key, value] of durable) {
    const stored = key.startsWith(USAGES) ? storedUsage(key, value) : undefined;
    if (stored) counts.set(stored.tokenId, (counts.get(stored.tokenId) ?? 0) + stored.count);
  }
  return counts;
}

test('if the answer to a usage report is lost, the report is sent again, and the lead (the core that writes the tokens) counts it once', async t => {
  const world = new AccountCluster(t);
  const [lead, second] = [await world.join('a'), await world.join('b')];
  await world.lead(lead);
  const { id } = await world.createToken(lead);
  lead.faults.losesAnswers = true;
  charge(second, id, 7);
  assert.equal(await second.accounts.report(), false);
  charge(second, id, 1);
  lead.faults.losesAnswers = false;
  await world.settle();
  assert.deepEqual([lead.quota.used(id), second.quota.used(id)], [8, 8]);
});

test('if the lead (the core that writes the tokens) is killed, the new lead also counts requests that other cores admitted in the meantime', async t => {
  const world = new AccountCluster(t);
  const [lead, second, third] = [await world.join('a'), await world.join('b'), await world.join('c')];
  await world.lead(lead);
  const { id } = await world.createToken(lead);
  charge(lead, id, 10);
  lead.quota.flush();
  await lead.engine.commit([]);
  world.kill(lead);
  charge(second, id, 4);
  charge(third, id, 5);
  await world.lead(second);
  await world.settle();
  assert.deepEqual([second.quota.used(id), third.quota.used(id)], [19, 19]);
  await world.retire(second);
  assert.deepEqual([...storedCounts(world)], [[id, 19]]);
});

test('if another core reports requests of a future minute, the lead (the core that counts requests) counts them in the current minute', async t => {
  const world = new AccountCluster(t);
  const lead = await world.join('a');
  await world.lead(lead);
  const { id } = await world.createToken(lead);
  const minute = Math.floor(world.clock.at / MINUTE_MS);
  const use = { tokenId: id, lastUsedMs: world.clock.at + MINUTE_MS };
  lead.accounts.charge('b', 1, [{ ...use, minute: minute + 1, requests: 2 }]);
  lead.accounts.charge('b', 2, [{ ...use, minute: minute - 1, requests: 3 }]);
  lead.accounts.charge('b', 3, [{ ...use, minute: minute - FREE_DAY_QUOTA, requests: 5 }]);
  lead.accounts.charge('b', 4, [{ ...use, tokenId: 'tok_000000000000', minute, requests: 7 }]);
  assert.deepEqual(
    [...lead.quota.usages()],
    [
      [id, minute - 1, 3],
      [id, minute, 2],
    ],
  );
  assert.equal(lead.lastUse.at(id), world.clock.at);
});

for (const seed of [1, 2, 3]) {
  test(`every request counts exactly once against the quota, even if answers are lost, streams break, or the lead (the core that counts requests) changes (seed ${seed})`, async t => {
    const random = randomNumbers(seed);
    const world = new AccountCluster(t);
    for (const id of ['a', 'b', 'c']) await world.join(id);
    let lead = world.cores[0] as AccountCore;
    await world.lead(lead);
    const expected = new Map<string, number>();
    for (let i = 0; i < 3; i++) expected.set((await world.createToken(lead)).id, 0);
    const ids = [...expected.keys()];
    /**
     * How many requests each core had counted for each token at the previous check. No count may be lower at the next
     * check.
     */
    const counted = new Map<string, number>();
    const anyCore = (): AccountCore => world.cores[random(world.cores.length)] as AccountCore;
    const changeLead = async (): Promise<void> => {
      await world.retire(lead);
      lead = anyCore();
      await world.join(`core-${random(1e9)}`);
      charge(lead, ids[0] ?? '', 1);
      expected.set(ids[0] ?? '', (expected.get(ids[0] ?? '') ?? 0) + 1);
      await world.lead(lead);
    };
    for (let step = 0; step < 300; step++) {
      const action = random(100);
      if (action < 60) {
        const id = ids[random(ids.length)] ?? '';
        const times = 1 + random(4);
        charge(anyCore(), id, times);
        expected.set(id, (expected.get(id) ?? 0) + times);
      } else if (action < 85) {
        lead.faults.losesAnswers = random(2) === 0;
        await anyCore().accounts.report();
        lead.faults.losesAnswers = false;
      } else if (action < 94) world.clock.at += random(MINUTE_MS);
      else if (action < 98) await world.breakStreams(lead);
      else await changeLead();
      for (const { self, quota } of world.cores) {
        for (const [id, count] of expected) {
          const used = quota.used(id);
          const key = `${self.id} ${id}`;
          const earlier = counted.get(key) ?? 0;
          assert.ok(
            used >= earlier && used <= count,
            `step ${step}: ${key} has ${used} of ${count}, ${earlier} before`,
          );
          counted.set(key, used);
        }
      }
    }
    await world.settle();
    for (const { self, quota } of world.cores)
      for (const [id, count] of expected) assert.equal(quota.used(id), count, `${id} on ${self.id}`);
    await world.retire(lead);
    assert.deepEqual(storedCounts(world), new Map([...expected].filter(([, count]) => count > 0)));
  });
}
