import { execFileSync } from 'node:child_process';
import { closeSync, mkdirSync, openSync, rmSync, statfsSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { until } from '../system/until.ts';
import { CoreProcess } from './core-process.ts';
import type { Report } from './main.ts';
import { Trial } from './trial.ts';

const MIB = 1024 * 1024;
const DISK = '64m';
/** Minimum number of fetches that the core must answer while the disk is full. */
const ANSWERS = 200;
const ROUNDS = 3;

/** Fills a disk until at most `leave` bytes are free. */
function fill(disk: string, leave: number): void {
  const file = openSync(join(disk, 'filler'), 'a');
  try {
    for (const size of [MIB, 64 * 1024, 4096]) {
      const bytes = Buffer.alloc(size, 1);
      for (;;) {
        const { bavail, bsize } = statfsSync(disk);
        if (bavail * bsize - size < leave) break;
        writeSync(file, bytes);
      }
    }
  } finally {
    closeSync(file);
  }
}

/**
 * Fills the disk several times during inserts, and then kills the core. Checks that no acknowledged insert was lost. If
 * `watermark` is true, the core has a setting that makes it stop writing before the disk is full.
 */
export async function fullDisk(home: string, watermark: boolean, seed: number): Promise<Report> {
  const disk = join(home, 'disk');
  mkdirSync(disk);
  execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${DISK}`, 'tmpfs', disk]);
  const env = { GSQ_MIN_FREE_SPACE: watermark ? '16MiB' : '0B' };
  const trial = new Trial(join(disk, 'data'), seed);
  let answered = 0;
  let errors = 0;
  try {
    const core = await CoreProcess.start(trial.directory, env);
    const writable = (value: number) =>
      until(
        `the core to say writable ${value}`,
        () => core.metric('gsq_store_writable'),
        seen => seen === value,
        60_000,
      );
    for (let round = 0; round < ROUNDS; round++) {
      const load = await trial.load(core, { callers: 4 });
      await until(
        'inserts to be acknowledged',
        () => load.acknowledged,
        seen => seen >= 300,
      );
      fill(disk, watermark ? 8 * MIB : 0);
      await writable(0);
      const before = load.answers;
      await until(
        'fetches to be answered while there is no room',
        () => load.answers - before,
        seen => seen >= ANSWERS,
      );
      answered += load.answers - before;
      rmSync(join(disk, 'filler'));
      await writable(1);
      const acknowledged = load.acknowledged;
      await until(
        'inserts to be acknowledged again',
        () => load.acknowledged,
        seen => seen > acknowledged,
      );
      await load.stop();
    }
    errors = await core.metric('gsq_store_write_errors_total');
    await core.child.stop('SIGKILL');
    await trial.audit(env);
  } finally {
    execFileSync('umount', ['-l', disk]);
  }
  const { faults, figures } = trial.verdict();
  const { unknown, refused } = trial.history.count();
  if (unknown > 0) faults.push(`${unknown} fetches of pairs were not answered`);
  if (refused === 0) faults.push('no insert was refused: the disk was never full');
  if (!watermark && errors === 0) faults.push('no write failed: the disk was never full');
  return {
    faults,
    figures: `a full disk ${ROUNDS} times ${watermark ? 'below the watermark' : `down to the last byte, ${errors} writes failed`}: ${answered} fetches answered meanwhile, ${refused} inserts refused, ${figures}`,
  };
}
