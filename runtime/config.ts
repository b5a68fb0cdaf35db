import type { Endpoint } from './endpoint.ts';
import type { LogFormat } from './log.ts';
import { readSecretFile, SecretFileError } from './secret-file.ts';

/** Thrown if a setting cannot be used. `message` contains the name of the setting, the fault and the allowed values. */
export class ConfigError extends Error {
  override name = 'ConfigError';
}

/** Type of a setting's value, for each kind of setting. */
export interface SettingValues {
  address: Endpoint;
  /** Milliseconds. */
  duration: number;
  /**
   * Value of a setting of the kind `period`, in milliseconds. Unlike a `duration`, a `period` can exceed 24 days, the
   * longest delay of a Node timer.
   */
  period: number;
  /** Bytes. */
  size: number;
  integer: number;
  text: string;
  list: string[];
  level: string;
  format: LogFormat;
}

/** Rules for parsing and checking the text of a setting. */
export interface Definition {
  readonly kind: keyof SettingValues;
  /**
   * Default value of the setting, in the form in which an operator writes it. `null` if the setting is absent by
   * default.
   */
  readonly default: string | null;
  /**
   * If true, the text of the setting is secret and must never be shown. Instead of this setting, `<NAME>_FILE` can be
   * set to the path of a file with the text.
   */
  readonly secret?: true;
  /** Minimum value of the setting. The unit is milliseconds for a duration and bytes for a size. */
  readonly min?: number;
  /**
   * Maximum value of the setting, in the same unit as `min`. By default, the maximum of a duration is 24 days, the
   * longest time that a timer of Node can wait.
   */
  readonly max?: number;
  /** Minimum number of characters in the text of the setting. */
  readonly minLength?: number;
}

/** Definitions of settings, keyed by setting name. */
export type Table = Readonly<Record<string, Definition>>;

/** The parsed values of a table of settings, keyed by setting name. */
export type Config<T extends Record<string, Definition>> = {
  readonly [K in keyof T]: T[K]['default'] extends null
    ? SettingValues[T[K]['kind']] | undefined
    : SettingValues[T[K]['kind']];
};

/**
 * Reads the secret file whose path a setting contains; see `readSecretFile`. Throws ConfigError if the file cannot be
 * used. The message begins with the name of the setting.
 */
export function secretFile(setting: string, path: string): Buffer | undefined {
  try {
    return readSecretFile(path);
  } catch (error) {
    throw error instanceof SecretFileError ? new ConfigError(`${setting}: ${error.message}`) : error;
  }
}
