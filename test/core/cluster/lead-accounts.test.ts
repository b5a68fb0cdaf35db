import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LeadAccounts } from '../../../core/cluster/lead-accounts.ts';
import { LeaseLost } from '../../../core/cluster/membership.ts';

function opened() {
  const steps: string[] = [];
  const accounts = {
    isLead: false,
    lead: async () => {
      accounts.isLead = true;
      steps.push('lead');
    },
    unlead: async () => {
      accounts.isLead = false;
      steps.push('unlead');
    },
  };
  const isLeaving = { now: true };
  let loaded = (): void => {};
  const lead = new LeadAccounts({
    accounts,
    onLead: () =>
      new Promise(resolve => {
        steps.push('load webhooks');
        loaded = resolve;
      }),
    onUnlead: () => void steps.push('close webhooks'),
    isLeaving: () => isLeaving.now,
  });
  return { lead, accounts, steps, isLeaving, loaded: () => loaded() };
}

test('a core answers calls about tokens and webhooks as the lead only after it has loaded the webhooks, too', async () => {
  const { lead, accounts, steps, loaded } = opened();
  const taken = lead.take();
  await new Promise(setImmediate);
  assert.deepEqual(steps, ['lead', 'load webhooks']);
  assert.deepEqual([accounts.isLead, lead.isLead], [true, false]);
  loaded();
  await taken;
  assert.equal(lead.isLead, true);
  await lead.give();
  assert.deepEqual(steps.slice(2), ['close webhooks', 'unlead']);
  assert.equal(lead.isLead, false);
});

test('a core that must give the accounts away although it does not leave the cluster ends with LeaseLost', async () => {
  const { lead, isLeaving, loaded } = opened();
  const taken = lead.take();
  await new Promise(setImmediate);
  loaded();
  await taken;
  isLeaving.now = false;
  await assert.rejects(lead.give(), LeaseLost);
  assert.equal(lead.isLead, false);
});
