/**
 * `npm run test:engines` tests the store on Redis and Valkey with real clusters. Arguments are passed to
 * scripts/run-tests.ts. `npm run test:engines -- faults` kills and stops cores of gsq and nodes of the storage engine
 * under load: see faults/main.ts.
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
