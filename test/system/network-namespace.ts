import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const CLONE_NEWNET = 0x40000000;

/**
 * Moves this process and its later children into a network namespace with only a loopback interface, so that
 * no packet can leave. It disappears with its last process. Rejects if that fails: it requires Linux and
 * root.
 */
export async function enterOwnNetwork(): Promise<void> {
  const { default: koffi } = await import('koffi');
  const unshare = koffi.load(null).func('int unshare(int flags)');
  // Applies to this thread only, which is the one that makes sockets and starts processes.
  if (unshare(CLONE_NEWNET) !== 0) {
    throw new Error(`no network of its own can be made (errno ${koffi.errno()}); run this as root, on Linux`);
  }
  await ip('link set lo up');
}

/** Runs `ip` with these arguments; rejects with its error text. */
export async function ip(words: string): Promise<void> {
  await promisify(execFile)('ip', words.split(' '));
}
