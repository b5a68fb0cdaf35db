/**
 * Measures how long it takes to read the quarter hours of a month of one server, while the history is written. Prints
 * the median and the 99th percentile.
 *
 *   node --import ./runtime/typescript.mjs test/bench/history.ts [servers] [days] [reads]    (2,000, 30 and 600 if absent)
 */
import { pino } from 'pino';
import { HistoryReader } from '../../core/history/history-reader.ts';
import { History } from '../../core/store/history/history.ts';
import { clockAt } from '../core/clock.ts';
import {
  everyMinute,
  hoursOf,
  LONGEST_HOLD,
  onlineAt,
  RETENTION,
} from '../core/store/history/opened-history.ts';
import { scratchDirectory } from '../system/scratch-directory.ts';

const [servers = 2_000, days = 30, reads = 600] = process.argv.slice(2).map(Number);
const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const BEGIN = Date.UTC(2026, 0, 1);
/** Sealed hours a second: those of a million servers. */
const SEALED_A_SECOND = 280;

const clock = clockAt(BEGIN);
const keyOf = (server: number): string => `csgo 9.${server >> 8}.${server & 255}.7:27015`;
const history = History.open({
  directory: scratchDirectory(),
  retention: RETENTION,
  longestHoldMs: LONGEST_HOLD,
  now: clock.now,
  monotonic: clock.now,
  log: pino({ level: 'warn' }),
  pagePauseMs: 0,
});

/** Seals an hour of all servers, with the number of players of a busy server. */
function sealHours(hour: number): void {
  const samples = everyMinute(hour, hour + HOUR, at => {
    const wave = 16 + 12 * Math.sin((at / DAY) * 2 * Math.PI) + 3 * Math.sin(at / 400_000);
    return onlineAt(at, Math.round(wave));
  });
  for (const sealed of hoursOf(keyOf(0), samples))
    for (let server = 0; server < servers; server++) history.store.sealHour(keyOf(server), sealed);
}

function report(name: string, times: number[]): void {
  times.sort((a, b) => a - b);
  const at = (share: number): string =>
    `${(times[Math.floor(share * (times.length - 1))] ?? 0).toFixed(1)} ms`;
  console.log(`${name}: p50 ${at(0.5)}, p99 ${at(0.99)}, longest ${at(1)}`);
}

const began = performance.now();
for (let hour = BEGIN; hour < BEGIN + days * DAY + 3 * HOUR; hour += HOUR) {
  clock.at = hour + HOUR;
  sealHours(hour);
  await history.flush();
  await history.maintain();
}
const seconds = Math.round((performance.now() - began) / 1_000);
console.log(
  `${servers} servers, ${days} days, ${history.counters.directories} directories, written in ${seconds} s`,
);

const retention = { samplesMs: RETENTION.minutes, quartersMs: RETENTION.quarters };
const reader = new HistoryReader({
  store: history.store,
  retention,
  longestHoldMs: LONGEST_HOLD,
  now: clock.now,
});
const nextHour = clock.at;
let written = 0;
const writing = setInterval(() => {
  for (const sealed of hoursOf(keyOf(0), [onlineAt(nextHour, 3), onlineAt(nextHour + 60_000, 4)]))
    for (let i = 0; i < SEALED_A_SECOND; i++) history.store.sealHour(keyOf(written++), sealed);
  void history.flush();
}, 1_000);
const times: number[] = [];
for (let i = 0; i < reads; i++) {
  const server = { key: keyOf((i * 7919) % servers), insertedAt: BEGIN, openHour: Buffer.alloc(0) };
  const to = Math.ceil(clock.at / 900_000) * 900_000;
  const start = performance.now();
  const steps = await reader.steps(server, { from: to - 30 * DAY, to, stepMs: 900_000 });
  times.push(performance.now() - start);
  if (!steps.some(step => step !== undefined)) throw new Error('the history is empty');
  // A read every 10 ms.
  await new Promise(resolve => setTimeout(resolve, 10));
}
clearInterval(writing);
report(`30 days at 900 s of one server, ${written} hours written meanwhile`, times);
await history.close();
