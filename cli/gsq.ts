/** The entry point of `gsq`; docs/cli.md describes the commands. */
import { exitStatus } from '../runtime/lifecycle.ts';
import { openLiveScreen } from './console/live-screen.ts';
import { runGsq } from './dispatch.ts';

process.stdout.on('error', error => {
  // A closed pipe, as in `gsq ... | head`, is not a failure.
  if ('code' in error && error.code === 'EPIPE') process.exit(exitStatus.ok);
  throw error;
});

const isTerminal = process.stdin.isTTY && process.stdout.isTTY;

process.exitCode = await runGsq(process.argv.slice(2), {
  env: process.env,
  out: text => process.stdout.write(text),
  talk: line => process.stderr.write(`${line}\n`),
  openScreen: isTerminal ? () => openLiveScreen(process.stdin, process.stdout) : undefined,
});
