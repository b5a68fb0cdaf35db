import { statSync } from 'node:fs';

/** Time between two checks of the files for changes, in milliseconds. */
const POLL_MS = 1_000;

/**
 * Calls `onChange` after files change. Polls the files: Kubernetes changes the target of a symbolic link, and inotify
 * does not report this. Returns a function that ends the watch.
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
      // Calls `onChange` only after a poll that finds no further change, because programs replace a certificate and its
      // key one after the other.
      changed = false;
      onChange();
    }
  }, pollMs).unref();
  return () => clearInterval(timer);
}

/** Returns a text that changes when the file is replaced, or when its content or its mode changes. */
function versionOf(path: string): string {
  try {
    const { dev, ino, size, mtimeMs, ctimeMs } = statSync(path);
    return [dev, ino, size, mtimeMs, ctimeMs].join(' ');
  } catch {
    return 'unreadable';
  }
}
