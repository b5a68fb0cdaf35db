/**
 * A program that only uses CPU time, with the lowest priority (nice 19). The bench runs this program during fetches,
 * to find out how much any background work disturbs the fetches on this machine.
 */
import { constants, setPriority } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import { answerQuestions } from './worker.ts';

export interface BusyProgram {
  /** How long the program runs, in seconds. */
  seconds: number;
  /** Number of busy periods in a second. The program sleeps between them. */
  perSecond: number;
  /** CPU time that the program uses in each busy period, in milliseconds. */
  milliseconds: number;
}

setPriority(constants.priority.PRIORITY_LOW);

answerQuestions(async ({ seconds, perSecond, milliseconds }: BusyProgram): Promise<void> => {
  const began = performance.now();
  for (let i = 0; i < seconds * perSecond; i++) {
    const wait = began + (i * 1000) / perSecond - performance.now();
    if (wait > 0) await delay(wait);
    const before = process.cpuUsage();
    for (let used = 0; used < milliseconds * 1000; ) {
      const { user, system } = process.cpuUsage(before);
      used = user + system;
    }
  }
});
