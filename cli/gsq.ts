/** The entry point of the command `gsq`. docs/cli.md describes all commands. */
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { exitStatus } from '../runtime/lifecycle.ts';
import { settings } from '../runtime/settings.ts';
import { openTerminal } from './console/terminal.ts';
import { runGsq } from './dispatch.ts';

let needsNoReader = false;

/** True if the reader of an output stream is gone: the pipe (EPIPE) or the terminal (EIO) is closed. */
function isReaderGone(stream: NodeJS.WriteStream, error: Error): boolean {
  if (!('code' in error)) return false;
  // EIO means a closed terminal only if the stream is a terminal. For a file, EIO means that its disk fails.
  return error.code === 'EPIPE' || (error.code === 'EIO' && stream.isTTY);
}

// Without this listener, an error of a closed terminal would end the command before it has cleaned up.
process.stderr.on('error', error => {
  if (!isReaderGone(process.stderr, error)) throw error;
});
process.stdout.on('error', error => {
  if (!isReaderGone(process.stdout, error)) throw error;
  // Ends the command with status 0 if the reader of stdout has closed the pipe. This happens for example in `gsq ... |
  // head`.
  if (!needsNoReader) process.exit(exitStatus.ok);
  // If the reader of stdout is slow, a command waits for the event `drain`. After the reader has closed the pipe, Node
  // does not emit this event any more. Therefore it is emitted here, so that the command continues.
  process.stdout.emit('drain');
});

// The default of GSQ_CATALOG is a path relative to the working directory. If there is no such file, gsq reads the
// catalog of its own package.
if (process.env.GSQ_CATALOG === undefined && !existsSync(settings.GSQ_CATALOG.default)) {
  process.env.GSQ_CATALOG = fileURLToPath(new URL(`../${settings.GSQ_CATALOG.default}`, import.meta.url));
}

process.exitCode = await runGsq(process.argv.slice(2), {
  ...openTerminal(process),
  finishWithoutReader: () => {
    needsNoReader = true;
  },
});
