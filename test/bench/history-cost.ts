/**
 * Measures what the history costs: writes of LevelDB, CPU time, and bytes on disk. Simulated servers are probed through
 * the real store, recorder and history, with a simulated clock that is much faster than the time. Each measurement runs
 * in a process of its own, once with the history and once without it. Prints a table.
 *
 *   node --import ./runtime/typescript.mjs test/bench/history-cost.ts [servers] [hours]    (2,000 and 3 if absent)
 *   node --import ./runtime/typescript.mjs test/bench/history-cost.ts 100000 26            (a day and its roll-up)
 */
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { pino } from 'pino';
import { FailureDetector } from '../../core/detector/failure-detector.ts';
import { Uplinks } from '../../core/detector/uplink.ts';
import { longestHoldMs } from '../../core/history/longest-hold.ts';
import { ReportRecorder } from '../../core/schedule/report-recorder.ts';
import { ServerChanges } from '../../core/servers/server-changes.ts';
import { History } from '../../core/store/history/history.ts';
import { LevelDbStore } from '../../core/store/leveldb/leveldb-store.ts';
import { EmbeddedServerStore } from '../../core/store/memory/embedded-server-store.ts';
import type { ReportedPayload } from '../../proto/codec/reported-payload.ts';
import { feedOf } from '../core/feed/feed-of.ts';
import { payloadOf } from '../core/payload-of.ts';
import { randomNumbers } from '../system/random-numbers.ts';
import { scratchDirectory } from '../system/scratch-directory.ts';

const SECOND = 1_000;
const DAY = 86_400_000;
const MOST_PLAYERS = 64;
/** Servers of 100 whose number of players changes. Of each of these servers, it changes in every third minute. */
const PLAYED = 45;
const TICK_US = 10_000;

/** What a simulation took. */
interface Cost {
  probes: number;
  recordWrites: number;
  historyWrites: number;
  /** CPU time of the main thread, and of all other threads: the writes and the compaction of LevelDB, in seconds. */
  mainCpu: number;
  otherCpu: number;
  historyBytes: number;
  storeBytes: number;
}

/** Returns the CPU time of a thread of this process, in seconds. */
function threadCpu(thread: string): number {
  const stat = readFileSync(`/proc/self/task/${thread}/stat`, 'latin1');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return ((Number(fields[11]) + Number(fields[12])) * TICK_US) / 1e6;
}

function bytesIn(directory: string): number {
  return readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile())
    .reduce((sum, entry) => sum + statSync(join(entry.parentPath, entry.name)).size, 0);
}

function payloadsByPlayers(): ReportedPayload[] {
  return Array.from({ length: MOST_PLAYERS + 1 }, (_, players) => {
    const playerList = Array.from({ length: players }, (_, i) => ({
      name: `player ${i}`,
      score: i,
      time: 60 + i,
    }));
    return payloadOf({ players, maxplayers: MOST_PLAYERS, playerList });
  });
}

async function openWorld(servers: number, withHistory: boolean) {
  const clock = { at: Date.UTC(2026, 0, 1) };
  const now = (): number => clock.at;
  const directory = scratchDirectory();
  const engine = await LevelDbStore.open(join(directory, 'leveldb'), error => {
    throw error;
  });
  const options = { now, probeIntervalMs: 60 * SECOND, leaseMs: 30 * SECOND, maxServers: servers };
  const store = await EmbeddedServerStore.load(engine, options);
  const retention = { minutes: DAY, quarters: 30 * DAY, days: 365 * DAY };
  const log = pino({ level: 'silent' });
  const history = withHistory
    ? History.open({
        directory: join(directory, 'history'),
        retention,
        longestHoldMs: longestHoldMs(60 * SECOND),
        now,
        monotonic: now,
        log,
        pagePauseMs: 0,
      })
    : undefined;
  const recorder = new ReportRecorder({
    store,
    changes: new ServerChanges(),
    feed: feedOf(),
    probeIntervalMs: 60 * SECOND,
    detector: new FailureDetector(10 * 60 * SECOND),
    giveUpAfterProbes: 3,
    history: history?.store,
  });
  return { clock, directory, engine, store, history, recorder };
}

async function simulate(servers: number, hours: number, withHistory: boolean): Promise<Cost> {
  const { clock, directory, engine, store, history, recorder } = await openWorld(servers, withHistory);
  const below = randomNumbers(1);
  const payloads = payloadsByPlayers();
  const players = new Map<string, number>();
  let [probes, recordWrites] = [0, 0];
  engine.watchWrites(({ operations }) => {
    recordWrites += operations;
  });
  for (let i = 0; i < servers; i++) {
    const address = `5.${i >> 16}.${(i >> 8) & 255}.${i & 255}:27015`;
    players.set(address, below(100) < PLAYED ? 1 + below(30) : 0);
  }
  const addresses = [...players.keys()];
  const uplinks = new Uplinks(clock.at);
  const from = clock.at;
  for (; clock.at < from + hours * 3600 * SECOND; clock.at += SECOND) {
    // The servers are inserted during the first minute, so that their probes are spread over each minute.
    const inserted = addresses.splice(0, Math.ceil(servers / 60));
    if (inserted.length > 0)
      await store.insertIfAbsent(inserted.map(address => ({ gameId: 'csgo', address, insertedBy: 'tok_1' })));
    for (const { id, server } of store.leaseDue(servers)) {
      const leased = store.leased(id);
      if (!leased) continue;
      let count = players.get(server.address) ?? 0;
      if (count > 0 && below(3) === 0) count = Math.min(Math.max(count + below(5) - 2, 1), MOST_PLAYERS);
      players.set(server.address, count);
      const report = { leaseId: id, outcome: 'PROBE_OUTCOME_ONLINE', queryPort: 27015 } as const;
      recorder.record({ ...report, payload: payloads[count] ?? null }, leased, uplinks, clock.at);
      probes++;
    }
    await nextTurn();
    await history?.flush();
    if (clock.at % (60 * SECOND) === 0) await history?.maintain();
  }
  await store.close();
  await engine.close();
  await history?.close();
  const mainCpu = threadCpu(String(process.pid));
  const { user, system } = process.cpuUsage();
  return {
    ...{ probes, recordWrites, historyWrites: history?.counters.written ?? 0 },
    ...{ mainCpu, otherCpu: (user + system) / 1e6 - mainCpu },
    historyBytes: history ? bytesIn(join(directory, 'history')) : 0,
    storeBytes: bytesIn(join(directory, 'leveldb')),
  };
}

const [servers, hours] = [Number(process.argv[2] ?? 2_000), Number(process.argv[3] ?? 3)];
const child = process.argv[4];
if (child !== undefined) {
  console.log(JSON.stringify(await simulate(servers, hours, child === 'with')));
} else {
  const run = (kind: string): Cost => {
    const script = [...process.execArgv, ...process.argv.slice(1, 2), String(servers), String(hours), kind];
    return JSON.parse(execFileSync(process.execPath, script, { encoding: 'utf8' }));
  };
  const seconds = hours * 3600;
  console.log(`${servers} servers, ${hours} simulated hours`);
  for (const kind of ['without', 'with', 'without', 'with']) {
    const cost = run(kind);
    const each = (value: number, digits = 2): string => (value / cost.probes).toFixed(digits);
    console.log(
      `${kind.padEnd(8)} history: ${cost.probes} probes; writes a second: ${(cost.recordWrites / seconds).toFixed(2)} records, ` +
        `${(cost.historyWrites / seconds).toFixed(2)} history; CPU a probe: ${each(cost.mainCpu * 1e6)} µs main thread, ` +
        `${each(cost.otherCpu * 1e6)} µs other threads; bytes a server on disk: ${(cost.storeBytes / servers).toFixed(0)} ` +
        `store, ${(cost.historyBytes / servers).toFixed(0)} history`,
    );
  }
}
