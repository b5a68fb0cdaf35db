import { readOption } from '../../proto/game-access.ts';
import type { AccessChange } from '../../proto/generated/gsq/v1/AccessChange.ts';
import { readSecretText, SecretFileError } from '../../runtime/secret-file.ts';
import { type Arguments, UsageError } from './command.ts';

/**
 * Command line options for the credentials of a server: the secret and the other values that are needed to query it.
 */
export const accessOptions = {
  'secret-file': {
    type: 'string',
    value: '<file>',
    about: 'file with the password, key or token of the server; only its owner may have access to it',
  },
  option: {
    type: 'string',
    multiple: true,
    value: '<name>=<value>',
    about: `other value that a probe of the server needs, for example query_port=27016; docs/protocols.md lists the
        options of each game`,
  },
} as const;

/**
 * Command line options of a command that changes the stored credentials of a server. The option `--no-secret` removes
 * the stored secret.
 */
export const accessChangeOptions = {
  ...accessOptions,
  'no-secret': { type: 'boolean', about: 'delete the stored secret' },
} as const;

/**
 * Reads a secret from a file. Throws UsageError if the file is empty, cannot be read, or can be read by other users.
 */
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
 * Reads `--secret-file`, `--no-secret` and `--option`, which change the stored credentials of a server. Returns
 * undefined if the command line has none of these options. Throws UsageError if an option is invalid.
 */
export function readAccessChange(read: Arguments): AccessChange | undefined {
  const file = read.value('secret-file');
  const clearSecret = read.flag('no-secret');
  if (file !== undefined && clearSecret) throw new UsageError('give --secret-file or --no-secret, not both');
  const options = read.values('option').map(text => {
    const [name, value] = readOption(text) ?? [];
    if (name === undefined || value === undefined)
      throw new UsageError('write --option as name=value, for example query_port=27016');
    return { name, value };
  });
  if (file === undefined && !clearSecret && options.length === 0) return undefined;
  return { secret: file === undefined ? '' : readSecret(file), clearSecret, options };
}
