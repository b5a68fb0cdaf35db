/** Maximum number of damaged entries in one error message. */
const NAMED_ENTRIES = 10;

/**
 * Error if the store does not contain the data that was written to it. gsq does not use this store. `message` describes
 * the damage, and tells the operator how to repair the store.
 */
export class StoreDamage extends Error {
  override name = 'StoreDamage';
  readonly what: string;

  /**
   * `what`: description of the damage, a sentence without its full stop. `kept`: folder with the original files;
   * undefined if the files were not changed.
   */
  constructor(directory: string, what: string, kept?: string) {
    const files = kept === undefined ? 'No file was changed' : `The original files are in ${kept}`;
    super(
      `the store in ${directory} is damaged: ${what}. ${files}. ` +
        'Restore the latest backup into an empty directory: gsq restore <file> --data-dir <directory>. ' +
        'If there is no backup, save the undamaged data with gsq backup <file> --offline, and restore that file. ' +
        'See "When the store is damaged" in docs/operations.md',
    );
    this.what = what;
  }
}

/** Error if a later release wrote the store, in a format that this release cannot read. */
export class NewerStore extends Error {
  override name = 'NewerStore';

  constructor(directory: string, schema: number, known: number) {
    super(
      `the store in ${directory} has format ${schema}, but the newest format of this release is ${known}: ` +
        'run the release that wrote the store, or a later one. No file was changed',
    );
  }
}

/**
 * Formats a list of damaged entries for an error message: the first ten entries, and the number of the remaining ones.
 */
export function listDamaged(faults: readonly string[]): string {
  const more = faults.length - NAMED_ENTRIES;
  return faults.slice(0, NAMED_ENTRIES).join('; ') + (more > 0 ? `; and ${more} more` : '');
}
