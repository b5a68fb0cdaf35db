/**
 * Part of `npm run test:faults`: a process that records samples of simulated servers until the test kills it. Its clock
 * is much faster than real time. Command line:
 *
 *   recording-core.ts <data directory> <time, Unix ms> <log file>
 */
import { openSync, writeSync } from 'node:fs';
import { OPERATOR } from '../../core/admission/insert-guard.ts';
import { FailureDetector } from '../../core/detector/failure-detector.ts';
import { Uplinks } from '../../core/detector/uplink.ts';
import { ReportRecorder } from '../../core/schedule/report-recorder.ts';
import { ServerChanges } from '../../core/servers/server-changes.ts';
import { serverKey } from '../../core/servers/server-record.ts';
import { feedOf } from '../core/feed/feed-of.ts';
import { payloadOf } from '../core/payload-of.ts';
import { addressOf, GAME, RECORDED_SERVERS, SETTINGS, START } from './recorded-history.ts';
import { clock, openAsCore } from './whole-data.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
/**
 * Minimum time between two samples of a server, in ms. The history drops a sample if it comes less than 45 s after the
 * stored time of the previous sample. The stored time can be 15 s later than the real time. So only a sample that
 * comes at least 60 s after the previous sample is certain to be kept.
 */
const APART_MS = 60 * SECOND;
/**
 * On average, this program flushes the history to disk after this number of simulated minutes. In addition, the
 * history flushes itself every second of real time.
 */
const FLUSH_MINUTES = 4;
const MAINTAIN_MINUTES = 15;

const [directory = '', at = '', logPath = ''] = process.argv.slice(2);
clock.at = Number(at);
const log = openSync(logPath, 'a');
const opened = await openAsCore(directory, SETTINGS);
const recorder = new ReportRecorder({
  store: opened.store,
  changes: new ServerChanges(),
  feed: feedOf(),
  probeIntervalMs: MINUTE,
  detector: new FailureDetector(10 * MINUTE),
  giveUpAfterProbes: 0,
  history: opened.history.store,
});
const uplinks = new Uplinks(clock.at);
const servers = Array.from({ length: RECORDED_SERVERS }, (_, i) => addressOf(i));
await opened.store.insertIfAbsent(servers.map(address => ({ gameId: GAME, address, insertedBy: OPERATOR })));

function probeDue(): void {
  const second = Math.floor((clock.at - START) / SECOND);
  for (const { id, server } of opened.store.leaseDue(RECORDED_SERVERS)) {
    const leased = opened.store.leased(id);
    if (!leased) throw new Error('a lease is gone');
    const waits = leased.lastProbeAt + APART_MS - clock.at;
    if (waits > 0) {
      const report = {
        leaseId: id,
        outcome: 'PROBE_OUTCOME_HELD_BACK',
        payload: null,
        queryPort: 0,
      } as const;
      recorder.record({ ...report, retryAfterMs: waits }, leased, uplinks, clock.at);
      continue;
    }
    // Logs each sample before it is recorded, as `<server> <second>`.
    writeSync(log, `${serverKey(server.gameId, server.address)} ${second}\n`);
    // The query port of every third server alternates between two values. The store writes a new query port
    // immediately, but a new number of players later. The test covers both kinds of writes.
    const i = servers.indexOf(server.address);
    const queryPort = i % 3 === 0 ? 27_015 + (second % 2) : 27_015;
    // The number of players in a sample is the number of seconds since the start of the test. The test identifies each
    // sample by this number.
    const payload = payloadOf({ players: second, maxplayers: 32, numbots: 0, playerList: [] });
    const report = { leaseId: id, outcome: 'PROBE_OUTCOME_ONLINE', payload, queryPort } as const;
    recorder.record(report, leased, uplinks, clock.at);
  }
}

let isFirstFlush = true;
for (let minute = 1; ; minute++) {
  for (let i = 0; i < 60; i++) {
    clock.at += SECOND;
    probeDue();
  }
  await new Promise(setImmediate);
  if (minute % MAINTAIN_MINUTES === 0) void opened.history.maintain();
  if (Math.random() * FLUSH_MINUTES > 1) continue;
  const { at } = clock;
  await opened.history.flush();
  await opened.engine.commit([]);
  // Logs that the history is on disk, with the time at which the flush began (Unix ms).
  writeSync(log, `flushed ${at}\n`);
  // The test, which is the parent process, waits for the message `recording`. Afterwards, the test kills this process
  // at a random time.
  if (isFirstFlush) process.send?.('recording');
  isFirstFlush = false;
}
