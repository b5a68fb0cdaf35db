import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const CLONE_NEWNET = 0x40000000;

/**
 * Moves this process, and whatever it starts from now on, into a network of its own: no interface but a loopback, no way
 * out. It goes when the last of them ends. Rejects where that cannot be had: it takes Linux, and root.
 */
export async function enterOwnNetwork(): Promise<void> {
  const { default: koffi } = await import('koffi');
  const unshare = koffi.load(null).func('int unshare(int flags)');
  // Of this thread alone. It is the one that makes sockets and starts processes.
  if (unshare(CLONE_NEWNET) !== 0) {
    throw new Error(`no network of its own can be made (errno ${koffi.errno()}); run this as root, on Linux`);
  }
  await ip('link set lo up');
}

/** Runs `ip` with these words; rejects with what it says. */
export async function ip(words: string): Promise<void> {
  await promisify(execFile)('ip', words.split(' '));
}
