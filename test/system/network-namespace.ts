import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const CLONE_NEWNET = 0x40000000;

/**
 * Moves this process and its later children into a new network namespace with only a loopback interface. Requires Linux
 * and root.
 */
export async function enterOwnNetwork(): Promise<void> {
  const { default: koffi } = await import('koffi');
  const unshare = koffi.load(null).func('int unshare(int flags)');
  // `unshare` moves only the current thread into the new namespace. This is enough, because this thread opens all
  // sockets and starts all child processes.
  if (unshare(CLONE_NEWNET) !== 0) {
    throw new Error(`no network of its own can be made (errno ${koffi.errno()}); run this as root, on Linux`);
  }
  await ip('link set lo up');
}

/** Runs the Linux program `ip` with these arguments. Rejects with the error text of the program if it fails. */
export async function ip(words: string): Promise<void> {
  await promisify(execFile)('ip', words.split(' '));
}
