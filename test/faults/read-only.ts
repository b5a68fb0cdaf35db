import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { gsq } from '../cli/gsq-command.ts';
import type { Report } from './main.ts';
import { closeAsCore, openAsCore } from './whole-data.ts';

/** Checks that `gsq doctor --offline` and `gsq backup --offline` work on a data directory on a read-only disk. */
export async function readOnlyDisk(home: string): Promise<Report> {
  const disk = join(home, 'disk');
  const directory = join(home, 'data');
  mkdirSync(disk);
  mkdirSync(directory);
  const opened = await openAsCore(directory);
  await opened.store.insertIfAbsent([{ gameId: 'css', address: '203.0.113.1:27015', insertedBy: 'tok_1' }]);
  await closeAsCore(opened);
  execFileSync('mount', ['-t', 'tmpfs', 'tmpfs', disk]);
  const faults: string[] = [];
  try {
    cpSync(directory, join(disk, 'data'), { recursive: true });
    execFileSync('mount', ['-o', 'remount,ro', disk]);
    const options = ['--offline', '--data-dir', join(disk, 'data')];
    for (const command of [
      ['doctor', '--min-free-space', '0B'],
      ['backup', join(home, 'backup.ndjson')],
    ]) {
      const { status, out, talk } = await gsq({}, ...command, ...options);
      if (status !== 0) faults.push(`gsq ${command[0]} ends with ${status}: ${out}${talk}`);
    }
  } finally {
    execFileSync('umount', [disk]);
  }
  return { faults, figures: 'doctor and backup of a data directory on a read-only disk' };
}
