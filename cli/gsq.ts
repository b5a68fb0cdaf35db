/** The command `gsq`; docs/cli.md says what it can do. */
import { exitStatus } from '../runtime/lifecycle.ts';
import { runGsq } from './dispatch.ts';
import { openLiveScreen } from './live-screen.ts';

process.stdout.on('error', error => {
  // `gsq ... | head` is no failure.
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
