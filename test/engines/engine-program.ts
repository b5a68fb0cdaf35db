import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** A program that can be the storage engine of gsq: Redis or Valkey. */
export type EngineKind = 'redis' | 'valkey';

export const ENGINE_KINDS: readonly EngineKind[] = ['redis', 'valkey'];

/**
 * Returns the storage engines to test: the names in the environment variable TEST_ENGINES, separated by spaces. Without
 * this variable, returns `defaults`. Throws an Error if it contains an unknown name.
 */
export function enginesToTest(defaults: readonly EngineKind[] = ENGINE_KINDS): readonly EngineKind[] {
  const names = process.env.TEST_ENGINES?.split(' ');
  return names?.map(engineKind) ?? defaults;
}

function engineKind(name: string): EngineKind {
  const kind = ENGINE_KINDS.find(each => each === name);
  if (!kind) throw new Error(`TEST_ENGINES contains "${name}"; it may contain ${ENGINE_KINDS.join(' and ')}`);
  return kind;
}

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
