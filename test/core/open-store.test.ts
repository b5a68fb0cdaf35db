import assert from 'node:assert/strict';
import { test } from 'node:test';
import { UNCONFIRMED_LIMITS, UnconfirmedServers } from '../../core/admission/unconfirmed-servers.ts';
import { openStore } from '../../core/open-store.ts';
import { createLogger } from '../../runtime/log.ts';
import { closeAsCore, configOf } from '../faults/whole-data.ts';
import { scratchDirectory } from '../system/scratch-directory.ts';
import { feedOf } from './feed/feed-of.ts';

test('the store supervisor repeats the refused writes of webhooks as soon as the store accepts writes again', async () => {
  let calls = 0;
  const opened = await openStore({
    config: configOf(scratchDirectory()),
    log: createLogger('core', 'silent'),
    now: Date.now,
    monotonic: () => performance.now(),
    unconfirmed: new UnconfirmedServers({ ...UNCONFIRMED_LIMITS, inAll: 10, aToken: 10 }),
    feed: feedOf(),
    webhooks: { compare: async () => [], writeDirty: async () => void calls++ },
    onRemove() {},
  });
  opened.engine.pause('the disk is nearly full');
  await opened.supervisor.check();
  calls = 0;
  await opened.supervisor.check();
  assert.equal(calls, 0);
  opened.engine.pause(undefined);
  await opened.supervisor.check();
  assert.ok(calls > 0);
  await closeAsCore(opened);
});
