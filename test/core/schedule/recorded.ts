import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { FailureDetector } from '../../../core/detector/failure-detector.ts';
import { Uplinks } from '../../../core/detector/uplink.ts';
import type { SealedHour } from '../../../core/history/history-store.ts';
import type { LeaseReport } from '../../../core/schedule/lease-report.ts';
import { ReportRecorder } from '../../../core/schedule/report-recorder.ts';
import { ServerChanges } from '../../../core/servers/server-changes.ts';
import type { Reason, ServerRecord } from '../../../core/servers/server-record.ts';
import { EmbeddedServerStore } from '../../../core/store/memory/embedded-server-store.ts';
import { clockAt } from '../clock.ts';
import { feedOf } from '../feed/feed-of.ts';
import { payloadOf } from '../payload-of.ts';
import { scratchEngine } from '../scratch-store.ts';

/** One second in milliseconds. */
export const SECOND = 1_000;
/** One minute in milliseconds. */
export const MINUTE = 60 * SECOND;
/** One day in milliseconds. */
export const DAY = 24 * 60 * MINUTE;
/** Address of the server under test. */
export const ADDRESS = '9.9.9.9:27015';
/** Address of a second server. It is in a different network than the server under test. */
export const OTHER = '5.5.5.5:27015';

type Change = Partial<Omit<LeaseReport, 'leaseId' | 'outcome'>>;
/** Outcome of a probe, as the report of a prober contains it. */
export type Outcome = LeaseReport['outcome'];

/** Creates a store, a report recorder that writes to the store, and a clock that the test moves. */
export async function recorded(t: TestContext, giveUpAfterProbes = 3) {
  const clock = clockAt();
  const level = await scratchEngine(t);
  const feed = feedOf();
  const detector = new FailureDetector(600_000);
  const options = { now: clock.now, probeIntervalMs: MINUTE, leaseMs: 30_000, maxServers: 10_000 };
  const store = await EmbeddedServerStore.load(level, {
    ...options,
    onInserted: server => feed.publishInsert(server),
    onRemoved: server => feed.publishRemoval(server),
    onRemove: keys => {
      for (const key of keys) detector.forget(key);
      return [];
    },
  });
  const changes = new ServerChanges();
  const heard: [LeaseReport, ServerRecord, ServerRecord][] = [];
  const sealed: (SealedHour & { key: string })[] = [];
  const incidents: [event: string, key: string, at: number, reason?: Reason][] = [];
  const recorder = new ReportRecorder({
    store,
    changes,
    feed,
    probeIntervalMs: MINUTE,
    detector,
    giveUpAfterProbes,
    history: {
      // Keeps the samples without copying them. The real history does the same until its next write.
      sealHour: (key, hour) => sealed.push({ key, ...hour }),
      addOffline: (key, at, reason) => incidents.push(['offline', key, at, reason]),
      addOnline: (key, at) => incidents.push(['online', key, at]),
    },
    onRecorded: (report, before, after) => heard.push([report, before, after]),
  });
  const uplinks = new Uplinks(clock.at);
  const find = (address = ADDRESS): ServerRecord | undefined => store.getMany([`csgo ${address}`])[0];
  const server = (address = ADDRESS): ServerRecord => {
    const found = find(address);
    assert.ok(found, `${address} is not tracked`);
    return { ...found, data: Buffer.from(found.data), openHour: Buffer.from(found.openHour) };
  };
  /**
   * Simulates a probe of a server, even if the server is not due. Leases the server (orders the probe), and records a
   * report with the given outcome. Returns the new record of the server.
   */
  const report = (outcome: Outcome, address = ADDRESS, change: Change = {}): ServerRecord | undefined => {
    store.hasten(`csgo ${address}`, clock.at);
    const leases = store.leaseDue(1_000);
    const lease = leases.find(({ server }) => server.address === address);
    assert.ok(lease, `${address} is not due`);
    store.release(leases.filter(each => each !== lease).map(({ id }) => id));
    const leased = store.leased(lease.id);
    assert.ok(leased);
    const rest = { payload: null, queryPort: 0, ...change };
    recorder.record({ leaseId: lease.id, outcome, ...rest }, leased, uplinks, clock.at);
    assert.equal(store.leased(lease.id), undefined, 'a report ends its lease');
    return find(address);
  };
  const answer = (address = ADDRESS, change: Change = {}) =>
    report('PROBE_OUTCOME_ONLINE', address, { payload: payloadOf(), queryPort: 27016, ...change });
  /** Makes the next probe of a server due now. Returns the timeout of this probe, and whether it is urgent. */
  const terms = (address = ADDRESS) => {
    store.hasten(`csgo ${address}`, clock.at);
    const leases = store.leaseDue(1_000);
    store.release(leases.map(({ id }) => id));
    const lease = leases.find(({ server }) => server.address === address);
    assert.ok(lease);
    return recorder.leaseTerms(lease.server, clock.at);
  };
  const track = async (address: string, insertedBy = 'tok_1', gameId = 'csgo') =>
    store.insertIfAbsent([{ gameId, address, insertedBy }]);
  /**
   * Reports a failed probe of the server `ADDRESS` every three seconds, until the server is offline, but at most for
   * `seconds`. Returns the elapsed seconds. `witnessed`: true if the server `OTHER` in a different network answers at
   * the same times.
   */
  const failFor = (seconds: number, outcome: Outcome, change: Change = {}, witnessed = true): number => {
    for (let passed = 0; ; passed += 3, clock.at += 3 * SECOND) {
      if (witnessed) answer(OTHER);
      const found = report(outcome, ADDRESS, change);
      if (!found || found.status === 'offline' || passed >= seconds) return passed;
    }
  };
  /** Tracks the servers `ADDRESS` and `OTHER`, and lets them answer once a minute for ten minutes. */
  const acquaint = async (): Promise<void> => {
    await track(ADDRESS);
    await track(OTHER);
    for (let minute = 0; minute < 10; minute++, clock.at += MINUTE)
      for (const each of [ADDRESS, OTHER]) answer(each);
  };
  return {
    clock,
    level,
    store,
    changes,
    feed,
    recorder,
    detector,
    uplink: uplinks.uplinkTo({ isLocal: false, isV6: false }),
    heard,
    sealed,
    incidents,
    find,
    server,
    report,
    answer,
    track,
    terms,
    failFor,
    acquaint,
  };
}

/**
 * Returns the packet counts of a probe, as a report contains them. `challenged`: true if the server sent a challenge.
 */
export function signalsOf(packetsSent: number, packetsLost: number, challenged = false) {
  return { packetsSent, packetsLost, challenged, packetsRejected: 0, address: '' };
}
