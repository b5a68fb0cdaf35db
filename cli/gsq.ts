/** The entry point of the command `gsq`. docs/cli.md describes all commands. */
import { once } from 'node:events';
import { exitStatus } from '../runtime/lifecycle.ts';
import { openLiveScreen } from './console/live-screen.ts';
import { openStatusLine } from './console/status-line.ts';
import { runGsq } from './dispatch.ts';

process.stdout.on('error', error => {
  // Ends the command with status 0 if the reader of stdout has closed the pipe. This happens for example in `gsq ... |
  // head`.
  if ('code' in error && error.code === 'EPIPE') process.exit(exitStatus.ok);
  throw error;
});

const isTerminal = process.stdin.isTTY && process.stdout.isTTY;

process.exitCode = await runGsq(process.argv.slice(2), {
  env: process.env,
  out: text => process.stdout.write(text),
  drained: async () => {
    if (process.stdout.writableNeedDrain) await once(process.stdout, 'drain');
  },
  talk: line => process.stderr.write(`${line}\n`),
  statusLine: process.stderr.isTTY ? openStatusLine(process.stderr) : undefined,
  openScreen: isTerminal ? () => openLiveScreen(process.stdin, process.stdout) : undefined,
});
