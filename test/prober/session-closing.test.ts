import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { StatusReport } from '../../proto/generated/gsq/v1/StatusReport.ts';
import { answering, opened, welcomed } from './opened-session.ts';
import { Core } from './scripted-core.ts';

test('closing a prober session sends all unsent reports, ends the stream and does not reconnect', async t => {
  const done: StatusReport[] = [];
  const { core, session } = await welcomed(t, async (lease, policy) => {
    const report = await answering(lease, policy);
    done.push(report);
    // Closes the session from `setImmediate`: at that time, the session has received the report of the probe, but has
    // not sent the report to the core yet.
    setImmediate(() => closed.resolve());
    return report;
  });
  const closed = { resolve: (): void => {} };
  const probed = new Promise<void>(resolve => {
    closed.resolve = resolve;
  });
  core.lease(1);
  await probed;
  await session.close();
  assert.equal(done.length, 1);
  assert.deepEqual(
    core.reports.map(({ leaseIds }) => leaseIds),
    [[1]],
  );
  assert.equal(session.connected, false);
  assert.equal(core.streams.length, 1);
});

test('closing a prober session works if the core is not running', async t => {
  const core = new Core();
  await core.start();
  core.stop();
  const { session } = await opened(t, answering, core, false);
  await session.close();
});

test('closing a prober session does not wait forever for a core that hangs', async t => {
  const { core, session } = await welcomed(t);
  core.frozen = true;
  await session.close();
});
