/** The command `gsq`; docs/cli.md says what it can do. */
import { exitStatus } from '../runtime/lifecycle.ts';
import { runGsq } from './dispatch.ts';

process.stdout.on('error', error => {
  // `gsq ... | head` is no failure.
  if ('code' in error && error.code === 'EPIPE') process.exit(exitStatus.ok);
  throw error;
});

process.exitCode = await runGsq(process.argv.slice(2), {
  env: process.env,
  out: text => process.stdout.write(text),
  talk: line => process.stderr.write(`${line}\n`),
});
