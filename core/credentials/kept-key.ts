import { CredentialsKey } from './credentials-key.ts';

/**
 * The credentials key of a data directory, which encrypts the credentials of game servers. The file of the key is
 * created when the core encrypts something for the first time.
 */
export class KeptKey {
  readonly directory: string;
  #key: CredentialsKey | undefined;

  /** Reads the credentials key from its file. Throws ConfigError if the file of the key is not usable. */
  constructor(directory: string) {
    this.directory = directory;
    this.#key = CredentialsKey.read(directory);
  }

  /** The credentials key; undefined if the data directory has none yet. */
  get current(): CredentialsKey | undefined {
    return this.#key;
  }

  /** Returns the credentials key. Creates one first if the data directory has none yet. */
  needed(): CredentialsKey {
    this.#key ??= CredentialsKey.make(this.directory);
    return this.#key;
  }
}
