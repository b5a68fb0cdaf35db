import { execFileSync } from 'node:child_process';
import { closeSync, mkdirSync, openSync, readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import koffi from 'koffi';
import { CoreProcess } from './core-process.ts';
import type { Report } from './main.ts';
import { Trial } from './trial.ts';

const IMAGE_BYTES = 512 * 1024 * 1024;
const BETWEEN = 1_500;
/**
 * The ext4 ioctl `_IOR('X', 125, __u32)` (fs/ext4/ext4.h), which shuts the file system down. With the flag NOLOGFLUSH,
 * it does not even write the journal.
 */
const EXT4_IOC_SHUTDOWN = 0x8004587d;
const NOLOGFLUSH = 2;

const run = (command: string, ...args: string[]): string => execFileSync(command, args, { encoding: 'utf8' });

/**
 * Shuts down a mounted ext4 file system like a power cut: it loses unwritten data and the journal in memory, and every
 * later call fails. The test suite xfstests calls this operation "godown".
 */
function cutPower(mountPoint: string): void {
  const ioctl = koffi.load(null).func('int ioctl(int fd, unsigned long request, void *argument)');
  const root = openSync(mountPoint, 'r');
  try {
    const flag = Buffer.alloc(4);
    flag.writeUInt32LE(NOLOGFLUSH);
    if (ioctl(root, EXT4_IOC_SHUTDOWN, flag) !== 0) throw new Error('ext4 cannot be shut down here');
  } finally {
    closeSync(root);
  }
}

/**
 * Simulates power cuts at random times during inserts, with an ext4 file system in an image file. Disks that lose
 * synced writes are not tested.
 */
export async function powerCuts(home: string, count: number, seed: number): Promise<Report> {
  const image = join(home, 'image');
  const mountPoint = join(home, 'mounted');
  mkdirSync(mountPoint);
  writeFileSync(image, '');
  truncateSync(image, IMAGE_BYTES);
  run('mkfs.ext4', '-q', '-F', image);
  const trial = new Trial(join(mountPoint, 'data'), seed);
  const mount = (): string => run('mount', '-o', 'loop', image, mountPoint);
  const faults: string[] = [];
  let controls = 0;
  mount();
  try {
    for (let cut = 0; cut < count; cut++) {
      const core = await CoreProcess.start(trial.directory);
      const load = await trial.load(core, { areRefusedPerhapsStored: true });
      const target = 1 + trial.random(2 * BETWEEN);
      while (load.acknowledged < target && core.child.running) await turn();
      if (!core.child.running) throw new Error(core.child.report);
      // Writes a file without a sync, to check the simulation: at least one of the power cuts must lose its content.
      const control = join(mountPoint, `control-${cut}`);
      writeFileSync(control, 'written, and not synced');
      cutPower(mountPoint);
      await core.child.stop('SIGKILL');
      await load.stop();
      run('umount', mountPoint);
      mount();
      // The test wrote the control file without a sync. If the file is now empty or missing, the simulated power cut
      // lost unsynced data, as a real power cut does. Counts these power cuts.
      if (readFileIfAny(control) === '') controls++;
    }
    await trial.audit();
  } finally {
    run('umount', mountPoint);
  }
  if (controls === 0) faults.push('nothing that was not synced was lost: these were no power cuts');
  const verdict = trial.verdict();
  faults.push(...verdict.faults);
  return {
    faults,
    figures: `${count} power cuts (${controls} of them lost an unsynced control file): ${verdict.figures}`,
  };
}

function readFileIfAny(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
