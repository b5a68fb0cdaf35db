import { readOption } from '../../proto/game-access.ts';
import type { AccessChange } from '../../proto/generated/gsq/v1/AccessChange.ts';
import { readSecretText, SecretFileError } from '../../runtime/secret-file.ts';
import { type Arguments, UsageError } from './command.ts';

/** Options that set a server's credentials and options. */
export const accessOptions = {
  'secret-file': { type: 'string' },
  option: { type: 'string', multiple: true },
} as const;

/** The same options, for commands that store them. */
export const accessChangeOptions = { ...accessOptions, 'no-secret': { type: 'boolean' } } as const;

/** Reads a secret from a file. Throws UsageError if the file cannot be read or others may read it. */
function readSecret(path: string): string {
  try {
    const secret = readSecretText(path);
    if (secret === '') throw new UsageError(`--secret-file: ${path} is empty`);
    return secret;
  } catch (error) {
    throw error instanceof SecretFileError ? new UsageError(`--secret-file: ${error.message}`) : error;
  }
}

/**
 * The change of a server's credentials and options that a command line asks for; undefined if it asks for
 * none. Throws UsageError.
 */
export function readAccessChange(read: Arguments): AccessChange | undefined {
  const file = read.value('secret-file');
  const clearSecret = read.flag('no-secret');
  if (file !== undefined && clearSecret)
    throw new UsageError('--secret-file and --no-secret exclude each other');
  const options = read.values('option').map(text => {
    const [name, value] = readOption(text) ?? [];
    if (name === undefined || value === undefined)
      throw new UsageError('--option is written name=value, such as query_port=27016');
    return { name, value };
  });
  if (file === undefined && !clearSecret && options.length === 0) return undefined;
  return { secret: file === undefined ? '' : readSecret(file), clearSecret, options };
}
