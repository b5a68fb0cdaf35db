import { CredentialsKey } from './credentials-key.ts';

/** The credentials key of a data directory. It is created when something is encrypted for the first time. */
export class KeptKey {
  readonly directory: string;
  #key: CredentialsKey | undefined;

  /** Reads the key. Throws ConfigError if the file of the key is not usable. */
  constructor(directory: string) {
    this.directory = directory;
    this.#key = CredentialsKey.read(directory);
  }

  /** The key; undefined if the data directory has none yet. */
  get current(): CredentialsKey | undefined {
    return this.#key;
  }

  /** Returns the key. Creates it first if the data directory has none yet. */
  needed(): CredentialsKey {
    this.#key ??= CredentialsKey.make(this.directory);
    return this.#key;
  }
}
