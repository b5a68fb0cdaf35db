import { SetDigest } from '../store/set-digest.ts';
import type { StorageEngine } from '../store/storage-engine.ts';
import { listDamaged } from '../store/store-damage.ts';
import type { Token } from './token.ts';
import { isUnkeyed, readTokenEntry, TOKENS, type UnkeyedToken } from './token-entry.ts';
import { type CheckedTokenKey, readCheckedTokenKey } from './token-key.ts';

/** All tokens as loaded from the store, and the key with which their secrets are hashed. */
export interface LoadedTokens extends CheckedTokenKey {
  keyed: Token[];
  unkeyed: UnkeyedToken[];
  /**
   * Tokens whose entries have a keyed hash but no checksum, because an old release wrote them. They are stored again
   * with a checksum.
   */
  unchecked: Token[];
  /** Checksum of the store entry of each token, keyed by token id. */
  checksums: Map<string, number>;
}

/**
 * Loads all tokens from the store, and the token key from the data directory. Rejects with StoreDamage if a token is
 * damaged or missing, and with ConfigError if the key is not usable (`readCheckedTokenKey`).
 */
export async function loadTokens(engine: StorageEngine, directory: string): Promise<LoadedTokens> {
  const keyed: Token[] = [];
  const unkeyed: UnkeyedToken[] = [];
  const unchecked: Token[] = [];
  const checksums = new Map<string, number>();
  const digest = new SetDigest();
  const faults: string[] = [];
  await engine.readAll(TOKENS, (key, value) => {
    const stored = readTokenEntry(key, value);
    if (!stored) {
      faults.push(`the stored token "${key.slice(TOKENS.length)}" does not match its checksum`);
      return;
    }
    const { token, checksum } = stored;
    digest.addChecksum(checksum);
    checksums.set(token.id, checksum);
    if (isUnkeyed(token)) unkeyed.push(token);
    else {
      keyed.push(token);
      if (!stored.isChecksummed) unchecked.push(token);
    }
  });
  if (faults.length > 0) throw engine.damage(listDamaged(faults));
  engine.verify(TOKENS, digest);
  const key = await readCheckedTokenKey(engine, directory, keyed.length);
  return { keyed, unkeyed, unchecked, checksums, ...key };
}
