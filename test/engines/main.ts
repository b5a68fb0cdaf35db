/**
 * `npm run test:engines` runs the tests in test/engines, which use real Redis and Valkey clusters. It passes its
 * arguments to scripts/run-tests.ts. If the first argument is `faults`, it runs the fault test in
 * test/engines/faults/main.ts instead.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';

const args = process.argv.slice(2);
const program =
  args[0] === 'faults' ? ['test/engines/faults/main.ts'] : ['scripts/run-tests.ts', 'test/engines'];
const child = spawn(process.execPath, ['--import', './runtime/typescript.mjs', ...program, ...args], {
  stdio: 'inherit',
});
const [code] = await once(child, 'close');
process.exitCode = code ?? 1;
