import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { type TokenRequest, TokenService } from '../../../core/access/token-service.ts';
import { Tokens } from '../../../core/access/tokens.ts';
import type { LevelDbStore } from '../../../core/store/leveldb/leveldb-store.ts';
import { scratchDirectory } from '../../system/scratch-directory.ts';
import { clockAt } from '../clock.ts';
import { openEngine } from '../scratch-store.ts';
import { SECRET } from './token-fixture.ts';

/**
 * Request to create an API token of the tier FREE. Its e-mail address has only small letters, as in a stored token. So a
 * test can also use these fields as a part of a stored token.
 */
export const wish: TokenRequest = {
  tier: 'FREE',
  email: 'ann@example.com',
  expiresAt: 0,
  allowIps: [],
  allowDomains: [],
};

/**
 * Creates a data directory that contains a token key and a store with one token, whose secret is `SECRET`. `key`: path
 * of the file with the token key.
 */
export async function directoryWithToken(t: TestContext) {
  const directory = scratchDirectory();
  const engine = await openEngine(t, join(directory, 'leveldb'));
  await new TokenService(await Tokens.load(engine, directory), clockAt().now).create(wish, SECRET);
  return { directory, engine, key: join(directory, 'token.key') };
}

/** Returns all entries of a store as text. */
export async function storedText(engine: LevelDbStore): Promise<string> {
  let text = '';
  for await (const [key, value] of engine.entries('')) text += `${key} ${value}\n`;
  return text;
}
