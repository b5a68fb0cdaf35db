import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { addSample } from '../../../core/history/add-sample.ts';
import { HistoryReader } from '../../../core/history/history-reader.ts';
import { longestHoldMs } from '../../../core/history/longest-hold.ts';
import type { Sample } from '../../../core/history/sample.ts';
import { type ChangedRecord, newRecord } from '../../../core/servers/record-status.ts';
import { LevelDb } from '../../../core/store/leveldb/leveldb.ts';
import { randomNumbers } from '../../system/random-numbers.ts';
import { scratchDirectory } from '../../system/scratch-directory.ts';
import { RETENTION } from '../recorded-core.ts';
import { directoryBytes } from './directory-bytes.ts';
import { firstPlayers, nextPlayers } from './player-walk.ts';
import { ProbedServers } from './probed-servers.ts';
import { addressAt } from './simulated-cost.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
/** Start of the measured history, Unix ms. It is the start of a month with 31 days. */
const BEGIN = Date.UTC(2026, 0, 1);
const MONTH = 'days/2026-01';
const DAYS_IN_MONTH = 31;
/**
 * Number of the first probed server. The address of a server is computed from its number. The number is high, so that
 * no probed server gets the address of a server with a long history.
 */
const FIRST_PROBED = 1 << 20;
/** Pause between two measured reads of the history, ms. The due probes start after each pause, before the next read. */
const READ_EVERY_MS = 10;
const READS = 600;
/** KEY_BYTES: length of the database key of a daily summary, in bytes. PAGE: number of daily summaries in one write. */
const KEY_BYTES = 9;
const PAGE = 128;

/**
 * What to measure: the history of `kept` servers over `days` days, and how fast this history is read while `probed`
 * other servers are probed.
 */
export interface RetainedJob {
  readonly kept: number;
  readonly days: number;
  readonly probed: number;
}

/** Results of the measurement. Sizes are bytes on disk for each server, times are milliseconds. */
export interface Retained {
  /**
   * Largest size of the stored history during the measurement, in bytes per server. `minutes`: size of the samples.
   * `quarters`: size of the quarter-hour summaries.
   */
  readonly minutes: number;
  readonly quarters: number;
  /** Largest size of the stored daily summaries of one server for an unfinished month, in bytes. */
  readonly currentMonth: number;
  /**
   * Size of the stored daily summaries of one server for a finished month, in bytes. It is measured after LevelDB has
   * compacted the data.
   */
  readonly finishedMonth: number;
  readonly readP50: number;
  readonly readP99: number;
  /** Number of probes of other servers that ran while the history was read. */
  readonly probesBeside: number;
}

interface KeptServer {
  readonly record: ChangedRecord;
  players: number;
}

/** Measures the size of a history of many days, and how long a read of this history takes. */
export async function measureRetained({ kept, days, probed }: RetainedJob): Promise<Retained> {
  const directory = scratchDirectory();
  const fleet = await ProbedServers.open({ directory, servers: probed, withHistory: true, beginAt: BEGIN });
  const below = randomNumbers(7);
  const servers: KeptServer[] = Array.from({ length: kept }, (_, i) => ({
    record: newRecord('csgo', addressAt(i), 'tok_1', BEGIN, MINUTE),
    players: firstPlayers(below),
  }));
  const sizeOf = (path: string): number => directoryBytes(join(directory, 'history', path)) / kept;
  let [minutes, quarters] = [0, 0];
  while (fleet.clock.at < BEGIN + days * DAY) {
    recordHour(fleet, servers, below);
    await fleet.history?.flush();
    minutes = Math.max(minutes, sizeOf('minutes'));
    await fleet.history?.maintain();
    quarters = Math.max(quarters, sizeOf('quarters'));
  }
  const reads = await timeReads(fleet, servers, probed);
  await fleet.close();
  const valueBytes = await meanValueBytes(join(directory, 'history', MONTH));
  return { minutes, quarters, ...(await monthSizes(probed, valueBytes)), ...reads };
}

/** Records a sample of each server for every minute of the hour, and moves the clock to the next hour. */
function recordHour(
  { clock, history }: ProbedServers,
  servers: KeptServer[],
  below: (n: number) => number,
): void {
  for (const [i, server] of servers.entries()) {
    for (let at = clock.at + (i % 60) * 1_000; at < clock.at + HOUR; at += MINUTE) {
      server.players = nextPlayers(server.players, below);
      const { players } = server;
      const sample: Sample = { at, state: 'online', players, maxPlayers: 64, bots: 1, holdMs: 1.5 * MINUTE };
      const sealed = addSample(server.record, sample);
      if (sealed) history?.store.sealHour(server.record.key, sealed);
    }
  }
  clock.at += HOUR;
}

/**
 * Measures the time of reads while other servers are probed once a minute. Each read returns 30 days of history of one
 * server, in steps of a quarter hour.
 */
async function timeReads(fleet: ProbedServers, servers: readonly KeptServer[], probed: number) {
  const { clock, history } = fleet;
  if (!history) throw new Error('there is no history to read');
  await fleet.insert(Array.from({ length: probed }, (_, i) => addressAt(FIRST_PROBED + i)));
  // Probes the new servers for two minutes. After that, each server is probed at the same second of every minute.
  for (const end = clock.at + 2 * MINUTE; clock.at < end; clock.at += 1_000) {
    fleet.probeDue();
    await fleet.settle();
  }
  const retention = { samplesMs: RETENTION.minutes, quartersMs: RETENTION.quarters };
  const reader = new HistoryReader({
    store: history.store,
    retention,
    longestHoldMs: longestHoldMs(MINUTE),
    now: clock.now,
  });
  const [from, began, probes] = [clock.at, performance.now(), fleet.counts.probes];
  const flushing = setInterval(() => void history.flush(), 1_000);
  const times: number[] = [];
  for (let i = 0; i < READS; i++) {
    clock.at = from + Math.floor(performance.now() - began);
    fleet.probeDue();
    const record = servers[(i * 7_919) % servers.length]?.record;
    if (!record) continue;
    const to = Math.ceil(clock.at / (15 * MINUTE)) * 15 * MINUTE;
    const start = performance.now();
    const steps = await reader.steps(record, { from: to - 30 * DAY, to, stepMs: 15 * MINUTE });
    times.push(performance.now() - start);
    const known = steps.filter(step => step !== undefined).length;
    if (known < steps.length - 1) throw new Error(`only ${known} of ${steps.length} quarter hours are known`);
    await pause(READ_EVERY_MS);
  }
  clearInterval(flushing);
  times.sort((a, b) => a - b);
  const at = (share: number): number => times[Math.floor(share * (times.length - 1))] ?? Number.NaN;
  return { readP50: at(0.5), readP99: at(0.99), probesBeside: fleet.counts.probes - probes };
}

/** Returns the mean length of the values in a LevelDB database of the history, in bytes. */
async function meanValueBytes(directory: string): Promise<number> {
  const db = await LevelDb.open(directory);
  const entries = await db.readRange(Buffer.alloc(0), Buffer.alloc(16, 0xff), Number.MAX_SAFE_INTEGER);
  await db.close();
  return entries.reduce((sum, [, value]) => sum + value.length, 0) / entries.length;
}

/**
 * Measures the disk space of the daily summaries of one month, in bytes per server. `valueBytes`: length of the value
 * that contains all summaries of one server for a full month.
 */
async function monthSizes(servers: number, valueBytes: number) {
  const directory = scratchDirectory();
  const db = await LevelDb.open(directory);
  const keys = Array.from({ length: servers }, () => randomBytes(KEY_BYTES)).sort(Buffer.compare);
  let currentMonth = 0;
  // Replaces the daily summaries of each server by a longer value on each simulated day, as the history does. LevelDB
  // keeps some of the replaced values for a while, so they also take disk space.
  for (let day = 1; day <= DAYS_IN_MONTH; day++) {
    const length = Math.ceil((valueBytes * day) / DAYS_IN_MONTH);
    for (let first = 0; first < servers; first += PAGE) {
      const page = keys.slice(first, first + PAGE);
      // Random bytes, so that LevelDB cannot compress the values.
      await db.writeDurably(page.map(key => ({ type: 'put', key, value: randomBytes(length) })));
    }
    currentMonth = Math.max(currentMonth, directoryBytes(directory) / servers);
  }
  await db.compact();
  await db.close();
  return { currentMonth, finishedMonth: directoryBytes(directory) / servers };
}
