import type { TestContext } from 'node:test';
import type { Hello } from '../../../proto/generated/gsq/v1/Hello.ts';
import type { Lease__Output } from '../../../proto/generated/gsq/v1/Lease.ts';
import type { SessionResponse__Output } from '../../../proto/generated/gsq/v1/SessionResponse.ts';
import { payloadFields } from '../payload-of.ts';
import { Inbox } from './answer.ts';
import { runningCore } from './running-core.ts';

/**
 * Starts a core. `join` connects a fake prober, which reports a result only when the test calls `report`.
 * `maxInFlight`: how many leases (orders to probe a server) the prober accepts at the same time.
 */
export async function openedProbeService(t: TestContext) {
  const core = await runningCore(t);
  const join = (maxInFlight: number, back: Partial<Hello> = {}) => {
    const stream = core.client.probe.session();
    t.after(() => stream.cancel());
    const inbox = new Inbox<SessionResponse__Output>(stream);
    const leases = (): Lease__Output[] => inbox.messages.flatMap(message => message.leases?.leases ?? []);
    stream.write({ hello: { prober: 'test', maxInFlight, ...back } });
    return {
      stream,
      inbox,
      leases,
      session: (): string => inbox.messages[0]?.welcome?.session ?? '',
      acks: (): number[] => inbox.messages.flatMap(({ ack }) => (ack ? [ack.seq] : [])),
      report(seq: number, leaseIds: number[], queryPort = 27016): void {
        const reports = leaseIds.map(leaseId => ({
          leaseId,
          outcome: 'PROBE_OUTCOME_ONLINE' as const,
          payload: payloadFields(),
          queryPort,
        }));
        stream.write({ reports: { seq, reports } });
      },
      untilLeases: (count: number) => inbox.until(() => leases().length >= count),
    };
  };
  return { ...core, join };
}

/** Resolves when exactly `count` probers are connected to the dispatcher, the part of the core that orders probes. */
export async function untilProbers(core: { dispatcher: { probers: number } }, count: number): Promise<void> {
  while (core.dispatcher.probers !== count) await new Promise(setImmediate);
}
