import { once } from 'node:events';
import { appendFileSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { Child } from '../system/child.ts';
import { randomNumbers } from '../system/random-numbers.ts';
import type { Report } from './main.ts';
import { RecordedHistory, SETTINGS, START } from './recorded-history.ts';
import { clock, closeAsCore, openAsCore } from './whole-data.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
/** Maximum time from the first flush of the recording process until the test kills this process with SIGKILL, ms. */
const RECORDING_MS = 1_500;
const PROGRAM = ['--import', './runtime/typescript.mjs', 'test/faults/recording-core.ts'];

/** Reads the log of all recorded samples. Returns the time in its last complete line, Unix ms. */
function lastTime(logPath: string): number {
  let last = START;
  for (const [, at, second] of readFileSync(logPath, 'utf8').matchAll(/^(?:flushed (\d+)|.+ (\d+))$/gm))
    last = Math.max(last, at ? Number(at) : START + Number(second) * 1_000);
  return last;
}

/**
 * Repeats these steps `count` times: starts a process that records samples, kills it with SIGKILL after a random time,
 * and checks all stored samples. Only samples of the last minutes before the kill may be missing.
 */
export async function historyKills(home: string, count: number, seed: number): Promise<Report> {
  const random = randomNumbers(seed);
  const [directory, logPath] = [join(home, 'data'), join(home, 'samples.log')];
  appendFileSync(logPath, '');
  const recorded = new RecordedHistory();
  let at = START;
  for (let kill = 0; kill < count; kill++) {
    const argv = [...PROGRAM, directory, String(at), logPath];
    const child = await Child.start(process.execPath, () => argv, { ipc: true });
    await Promise.race([once(child.process, 'message'), child.ended]);
    await pause(random(RECORDING_MS));
    if (!child.running) throw new Error(child.report);
    await child.stop('SIGKILL');
    appendFileSync(logPath, '\nkilled\n');
    clock.at = lastTime(logPath) + 1_000;
    const opened = await openAsCore(directory, SETTINGS);
    await recorded.check(opened, logPath, clock.at);
    await closeAsCore(opened);
    // After about every fourth kill, up to eight hours of simulated time pass before the next process starts. After
    // the other kills, a few minutes pass.
    at = clock.at + MINUTE + (random(4) === 0 ? random(8 * HOUR) : random(5 * MINUTE));
  }
  clock.at = at + 30 * HOUR;
  const opened = await openAsCore(directory, SETTINGS);
  // Advances the clock by 16 minutes before `maintain` is called. This is necessary because a history computes daily
  // totals only if it has been open for at least 15 minutes.
  clock.at += 16 * MINUTE;
  await opened.history.maintain();
  const days = await recorded.checkDays(opened, clock.at);
  if (days === 0) recorded.faults.push('no day was rolled up');
  await closeAsCore(opened);
  const { logged, durable, lost } = recorded.figures;
  const hours = Math.round((at - START) / HOUR);
  return {
    faults: [...new Set(recorded.faults)],
    figures: `${count} SIGKILLs in ${hours} simulated hours: ${logged} samples, ${durable} durable, ${lost} of the last minutes lost, ${days} days of servers rolled up`,
  };
}
