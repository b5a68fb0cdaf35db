import { statSync } from 'node:fs';

/** Time between two checks whether the files have changed, ms. */
const POLL_MS = 1_000;

/**
 * Calls `onChange` after files were replaced or rewritten, as soon as a further check finds the same files as the check
 * before. This wait lets programs replace a certificate and its key one after the other. The files are polled, because
 * inotify does not report that the target of a symbolic link was replaced, and that is how Kubernetes updates the files
 * of a secret. Returns a function that ends the watch.
 */
export function watchFiles(paths: readonly string[], onChange: () => void, pollMs = POLL_MS): () => void {
  const versions = () => paths.map(versionOf).join();
  let seen = versions();
  let changed = false;
  const timer = setInterval(() => {
    const found = versions();
    if (found !== seen) {
      seen = found;
      changed = true;
    } else if (changed) {
      changed = false;
      onChange();
    }
  }, pollMs).unref();
  return () => clearInterval(timer);
}

/** Returns a text that changes when the file, its content or its mode changes. */
function versionOf(path: string): string {
  try {
    const { dev, ino, size, mtimeMs, ctimeMs } = statSync(path);
    return [dev, ino, size, mtimeMs, ctimeMs].join(' ');
  } catch {
    return 'unreadable';
  }
}
