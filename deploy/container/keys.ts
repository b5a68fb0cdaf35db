/**
 * Copies `token.key` and `credentials.key` to all cores that share one store. Arguments: the data directories of the
 * cores. If a key exists in none of them, creates it. Never changes an existing file.
 *
 * Exits with 1 if a file cannot be used or created, or if two directories have different keys.
 */
import { mkdirSync } from 'node:fs';
import { makeTokenKey, readTokenKey, tokenKeyPath } from '../../core/access/token-key.ts';
import { CredentialsKey, credentialsKeyPath } from '../../core/credentials/credentials-key.ts';
import { makeSecretFile, readSecretFile } from '../../runtime/secret-file.ts';

/** One of the two key files in a data directory: `token.key` or `credentials.key`. */
interface KeyFile {
  pathIn(directory: string): string;
  /** Throws ConfigError if the directory has a file that is not a valid key. */
  check(directory: string): unknown;
  make(directory: string): unknown;
}

const keyFiles: readonly KeyFile[] = [
  { pathIn: tokenKeyPath, check: readTokenKey, make: makeTokenKey },
  { pathIn: credentialsKeyPath, check: CredentialsKey.read, make: CredentialsKey.make },
];

/**
 * Gives all directories the same key file, for example `token.key`. Throws if two directories already have different
 * files.
 */
function share({ pathIn, check, make }: KeyFile, directories: readonly [string, ...string[]]): void {
  for (const directory of directories) check(directory);
  const paths = directories.map(pathIn);
  if (paths.every(path => !readSecretFile(path))) make(directories[0]);
  const source = paths.find(path => readSecretFile(path));
  const key = source === undefined ? undefined : readSecretFile(source);
  if (source === undefined || !key) throw new Error(`there is no ${paths[0]}`);
  for (const path of paths) {
    const present = readSecretFile(path);
    if (!present) makeSecretFile(path, key);
    else if (!present.equals(key)) {
      throw new Error(
        `${source} and ${path} are different keys; find out which one belongs to the store, and move the other away`,
      );
    }
  }
}

const [first, ...others] = process.argv.slice(2);
try {
  if (first === undefined) throw new Error('name the data directories');
  const directories = [first, ...others] as const;
  for (const directory of directories) mkdirSync(directory, { recursive: true, mode: 0o700 });
  for (const keyFile of keyFiles) share(keyFile, directories);
} catch (error) {
  process.stderr.write(`keys: ${error instanceof Error ? error.message : error}\n`);
  process.exit(1);
}
