import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** A program that can be the storage engine of gsq: Redis or Valkey. */
export type EngineKind = 'redis' | 'valkey';

export const ENGINE_KINDS: readonly EngineKind[] = ['redis', 'valkey'];

/** The path of the server program of a storage engine, and the environment variables that the program needs. */
export interface EngineProgram {
  path: string;
  env: Record<string, string>;
}

/**
 * Returns the path and the environment of the server program of Redis or Valkey. Throws an Error if
 * scripts/install-engines.sh has not installed the program.
 */
export function engineProgram(kind: EngineKind): EngineProgram {
  const folder = fileURLToPath(new URL(`../../.peers/${kind}`, import.meta.url));
  const path = `${folder}/bin/${kind}-server`;
  if (!existsSync(path)) throw new Error(`${kind} is not installed; run scripts/install-engines.sh`);
  return { path, env: { LD_LIBRARY_PATH: `${folder}/lib` } };
}
