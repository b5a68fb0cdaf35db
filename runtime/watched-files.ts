import { unwatchFile, watchFile } from 'node:fs';

/** Time between two looks at a file, ms. */
const POLL_MS = 1_000;

/**
 * Calls `onChange` after files were replaced or rewritten, and no file has changed for `pollMs` since. This wait lets
 * programs replace a certificate and its key one after the other. The files are polled, because inotify does not report
 * that the target of a symbolic link was replaced, and that is how Kubernetes updates the files of a secret. Returns a
 * function that ends the watch.
 */
export function watchFiles(paths: readonly string[], onChange: () => void, pollMs = POLL_MS): () => void {
  let timer: NodeJS.Timeout | undefined;
  const onStat = (): void => {
    clearTimeout(timer);
    timer = setTimeout(onChange, pollMs).unref();
  };
  for (const path of paths) watchFile(path, { interval: pollMs, persistent: false }, onStat);
  return () => {
    clearTimeout(timer);
    for (const path of paths) unwatchFile(path, onStat);
  };
}
