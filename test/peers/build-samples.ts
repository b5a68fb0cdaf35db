/** Builds the clients of docs/grpc.md with the commands on that page. Skips clients that are already built. */
import { execFileSync } from 'node:child_process';
import { symlinkSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { directoryOf, languages, markBuilt, unpackSample } from './samples.ts';

const root = resolve(import.meta.dirname, '../..');

for (const language of languages) {
  const setUp = unpackSample(language);
  if (setUp === undefined) continue;
  const cwd = directoryOf(language);
  // Creates a symbolic link to the folder `proto` of the project, because the Node client expects this folder in its
  // own directory.
  if (language === 'Node') symlinkSync(join(root, 'proto'), join(cwd, 'proto'));
  const env = { ...process.env, GSQ: root };
  execFileSync('bash', ['-euo', 'pipefail', '-c', setUp], { cwd, env, stdio: 'inherit' });
  markBuilt(language);
}
