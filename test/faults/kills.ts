import { setTimeout as pause, setImmediate as turn } from 'node:timers/promises';
import { CoreProcess } from './core-process.ts';
import type { Report } from './main.ts';
import { Trial } from './trial.ts';

/** Average number of acknowledged inserts of servers between two kills of the core. */
const BETWEEN = 1_100;
/** Every fourth kill of the core happens while the core starts. All other kills happen during inserts of servers. */
const STARTS = 4;
const START_MS = 2_000;

/**
 * Kills the core (SIGKILL) at random times, until there were `count` kills and `atLeast` acknowledged inserts. Checks
 * afterwards that no acknowledged insert is lost.
 */
export async function kills(
  directory: string,
  count: number,
  atLeast: number,
  seed: number,
): Promise<Report> {
  const trial = new Trial(directory, seed);
  let killed = 0;
  let acknowledged = 0;
  while (killed < count || acknowledged < atLeast) {
    if (killed % STARTS === STARTS - 1) {
      const starting = await CoreProcess.spawn(directory);
      await pause(trial.random(START_MS));
      await starting.child.stop('SIGKILL');
      killed++;
    }
    const core = await CoreProcess.start(directory);
    const load = await trial.load(core);
    const target = 1 + trial.random(2 * BETWEEN);
    while (load.acknowledged < target && core.child.running) await turn();
    // Fails the test if the core exited before the test killed it.
    if (!core.child.running) throw new Error(core.child.report);
    await core.child.stop('SIGKILL');
    await load.stop();
    killed++;
    acknowledged += load.acknowledged;
  }
  await trial.audit();
  const { faults, figures } = trial.verdict();
  return { faults, figures: `${killed} SIGKILLs: ${figures}` };
}
