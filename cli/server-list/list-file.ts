import { closeSync, existsSync, fsyncSync, openSync, renameSync, rmSync, writeSync } from 'node:fs';
import { reasonOf } from '../../runtime/error-words.ts';
import { exitStatus } from '../../runtime/lifecycle.ts';
import { CommandError, UsageError } from '../console/command.ts';

/**
 * Writes a new file. `fill` writes the content. The file keeps a temporary name until it is complete, so a list that is
 * cut off never has the name `path`. Throws UsageError if `path` exists, and CommandError if it cannot be written.
 */
export async function writeListFile(
  path: string,
  fill: (write: (text: string) => void) => Promise<void>,
): Promise<void> {
  if (existsSync(path)) throw new UsageError(`${path} already exists; give the name of a new file`);
  const unfinished = `${path}.part`;
  const orFail = <T>(work: () => T): T => {
    try {
      return work();
    } catch (error) {
      throw new CommandError(exitStatus.failed, `${path} cannot be written: ${reasonOf(error)}`);
    }
  };
  const file = orFail(() => openSync(unfinished, 'w'));
  try {
    await fill(text => {
      const bytes = Buffer.from(text);
      for (let at = 0; at < bytes.length; ) at += orFail(() => writeSync(file, bytes, at));
    });
    orFail(() => {
      fsyncSync(file);
      renameSync(unfinished, path);
    });
  } finally {
    closeSync(file);
    rmSync(unfinished, { force: true });
  }
}
