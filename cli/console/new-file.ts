import { randomBytes } from 'node:crypto';
import { closeSync, existsSync, fsyncSync, linkSync, openSync, renameSync, rmSync, writeSync } from 'node:fs';
import { constants } from 'node:os';
import { reasonOf } from '../../runtime/error-words.ts';
import { exitStatus } from '../../runtime/lifecycle.ts';
import { CommandError, UsageError } from './command.ts';

/** A new file that is not complete yet. */
export interface UnfinishedFile {
  /** The temporary name of the file. */
  readonly name: string;
  /** Appends bytes to the file. Throws CommandError if they cannot be written. */
  write(bytes: Buffer): void;
}

/** Signals that end a command. */
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/**
 * Writes a new file with the file mode `mode`. `fill` writes and checks the content; `writeNewFile` resolves to the
 * result of `fill`. The file has a temporary name until it is complete. If `fill` fails, or if a signal ends the
 * command, the file is removed. Rejects with UsageError if `path` already exists, and with CommandError if the file
 * cannot be written.
 */
export async function writeNewFile<T>(
  path: string,
  mode: number,
  fill: (file: UnfinishedFile) => Promise<T>,
): Promise<T> {
  if (existsSync(path)) throw alreadyExists(path);
  // The temporary name has a random part, so that gsq does not overwrite a file of the user or of another gsq command.
  const name = `${path}.${randomBytes(6).toString('hex')}.part`;
  const forgetSignals = removeOnSignal(name);
  try {
    const file = failIfUnwritable(path, () => openSync(name, 'wx', mode));
    try {
      const result = await fill({
        name,
        write(bytes) {
          for (let at = 0; at < bytes.length; )
            at += failIfUnwritable(path, () => writeSync(file, bytes, at));
        },
      });
      failIfUnwritable(path, () => {
        fsyncSync(file);
        giveName(name, path);
      });
      return result;
    } finally {
      closeSync(file);
      rmSync(name, { force: true });
    }
  } finally {
    forgetSignals();
  }
}

/**
 * Removes an unfinished file if a signal ends this process: the file can contain tokens and keys, and nobody knows its
 * random name. Returns a function that removes the listeners of the signals.
 */
function removeOnSignal(name: string): () => void {
  const forget = (): void => {
    for (const signal of SIGNALS) process.off(signal, onSignal);
  };
  const onSignal = (signal: NodeJS.Signals): void => {
    forget();
    rmSync(name, { force: true });
    // Sends the received signal to this process again. Now the signal has no listener, so it ends the process. A shell
    // that runs a script then sees that a signal ended gsq, and ends the script too.
    process.kill(process.pid, signal);
    // In a container, this process can have pid 1. A signal without a listener does not end such a process.
    process.exit(128 + constants.signals[signal]);
  };
  for (const signal of SIGNALS) process.on(signal, onSignal);
  return forget;
}

/** Runs `work`, one step of writing a file. Throws CommandError if it fails, for example because the disk is full. */
function failIfUnwritable<T>(path: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (error instanceof UsageError) throw error;
    throw new CommandError(exitStatus.failed, `${path} cannot be written: ${reasonOf(error)}`);
  }
}

function alreadyExists(path: string): UsageError {
  return new UsageError(`${path} already exists; give the name of a new file`);
}

/**
 * Gives the finished file its final name with a hard link, because `rename` would overwrite a file that another
 * process has created meanwhile. Throws UsageError if a file with the final name exists.
 */
function giveName(unfinished: string, path: string): void {
  try {
    linkSync(unfinished, path);
  } catch {
    if (existsSync(path)) throw alreadyExists(path);
    // The file system does not support hard links. Therefore the finished file is renamed to `path`.
    renameSync(unfinished, path);
  }
}
