import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';

const PREFIX = 'migration-copy-';

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}

/**
 * Creates a directory for the copy of an embedded store that `gsq migrate` reads. Also removes such copies of killed
 * migrations: the name of the directory contains the process id of the migration.
 */
export function makeMigrationCopy(dataDirectory: string): string {
  for (const name of readdirSync(dataDirectory)) {
    const pid = new RegExp(`^${PREFIX}(\\d+)-`).exec(name)?.[1];
    if (pid !== undefined && !isRunning(Number(pid)))
      rmSync(join(dataDirectory, name), { recursive: true, force: true });
  }
  return mkdtempSync(join(dataDirectory, `${PREFIX}${process.pid}-`));
}
