import type { Endpoint } from './endpoint.ts';
import { readSecretFile, SecretFileError } from './secret-file.ts';

/** A setting that cannot be used. `message` names the setting, what is wrong with it and what it may be. */
export class ConfigError extends Error {
  override name = 'ConfigError';
}

/** The type of a setting's value, by its kind. */
export interface SettingValues {
  address: Endpoint;
  /** Milliseconds. */
  duration: number;
  /** Bytes. */
  size: number;
  integer: number;
  text: string;
  list: string[];
  level: string;
}

/** How the text of a setting is parsed and checked. */
export interface Definition {
  readonly kind: keyof SettingValues;
  /** In the form an operator writes it; `null` if the setting may be absent. */
  readonly default: string | null;
  /** Whether the text must never be shown, and may be in a file that `<NAME>_FILE` names. */
  readonly secret?: true;
  /** Smallest number allowed: milliseconds of a duration, bytes of a size. */
  readonly min?: number;
  /** Fewest characters allowed. */
  readonly minLength?: number;
}

/** Settings by name. */
export type Table = Readonly<Record<string, Definition>>;

/** The values of a table of settings, under the names of the table. */
export type Config<T extends Record<string, Definition>> = {
  readonly [K in keyof T]: T[K]['default'] extends null
    ? SettingValues[T[K]['kind']] | undefined
    : SettingValues[T[K]['kind']];
};

/** Calls `readSecretFile` for a file that a setting names. Throws ConfigError, which begins with the setting's name. */
export function secretFile(setting: string, path: string): Buffer | undefined {
  try {
    return readSecretFile(path);
  } catch (error) {
    throw error instanceof SecretFileError ? new ConfigError(`${setting}: ${error.message}`) : error;
  }
}
