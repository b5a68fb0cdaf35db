import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { scratchDirectory } from '../system/scratch-directory.ts';
import { keepSecret } from '../system/transcript.ts';

/** The password of a game server. The leak search looks for it in the output of all processes. */
export const SERVER_SECRET = 'a-password-of-a-game-server';
keepSecret(SERVER_SECRET);

/** Creates a file that contains a secret and a line break, as text editors do. Returns the path of the file. */
export function secretFile(secret: string): string {
  const path = join(scratchDirectory(), 'secret');
  writeFileSync(path, `${secret}\n`, { mode: 0o600 });
  return path;
}
