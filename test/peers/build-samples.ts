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
  // The client for Node reads the folder `proto` next to its own files. It is built outside the project, where this
  // folder does not exist. Therefore a link points to the folder in the project.
  if (language === 'Node') symlinkSync(join(root, 'proto'), join(cwd, 'proto'));
  const env = { ...process.env, GSQ: root };
  execFileSync('bash', ['-euo', 'pipefail', '-c', setUp], { cwd, env, stdio: 'inherit' });
  markBuilt(language);
}
