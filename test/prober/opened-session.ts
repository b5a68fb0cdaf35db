import type { TestContext } from 'node:test';
import { pino } from 'pino';
import type { TargetPolicy } from '../../net/targets.ts';
import { Session } from '../../prober/session.ts';
import { clients, internalMetadata } from '../../proto/clients.ts';
import type { Lease__Output } from '../../proto/generated/gsq/v1/Lease.ts';
import type { StatusReport } from '../../proto/generated/gsq/v1/StatusReport.ts';
import { Core } from './scripted-core.ts';

/** A fake probe of the server in a lease (an order to probe). Resolves to the report for the core. */
export type Probe = (lease: Lease__Output, policy: TargetPolicy) => Promise<StatusReport>;

/** A fake probe that immediately reports that the server sent no reply. */
export const answering: Probe = async ({ leaseId }) => ({ leaseId, outcome: 'PROBE_OUTCOME_NO_REPLY' });

/**
 * Opens a prober session with a fake core. Both are closed after the test. `started`: false if the fake core must not
 * be started.
 */
export async function opened(t: TestContext, probe: Probe = answering, core = new Core(), started = true) {
  if (started) await core.start();
  const client = clients.probe(core.address);
  const session = new Session({
    client,
    metadata: internalMetadata('between us'),
    prober: 'a prober',
    maxInFlight: 77,
    probe: (lease, policy, probed) => void probe(lease, policy).then(probed),
    log: pino({ level: 'silent' }),
  });
  t.after(async () => {
    await session.close();
    client.close();
    core.stop();
  });
  return { core, session };
}

/** Opens a session to which the fake core has sent its Welcome message. */
export async function welcomed(t: TestContext, probe?: Probe) {
  const found = await opened(t, probe);
  await found.core.until(() => found.core.messages.length === 1);
  found.core.welcome();
  return found;
}

/**
 * Opens a prober session with two leases (orders to probe). The session has reported lease 2, and reports lease 1 when
 * the test calls `release`.
 */
export async function waitingForFirst(t: TestContext) {
  let release = (): void => {};
  const waiting = new Promise<void>(resolve => {
    release = resolve;
  });
  const { core } = await welcomed(t, async (lease, policy) => {
    if (lease.leaseId === 1) await waiting;
    return answering(lease, policy);
  });
  core.lease(1, 2);
  await core.until(() => core.reports.length === 1);
  return { core, release };
}
