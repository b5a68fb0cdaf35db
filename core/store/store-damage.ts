/** Damaged entries that a message names at most. */
const NAMED_ENTRIES = 10;

/** The store does not hold what was written, so nothing of it is served. `message` says what is wrong and what to do. */
export class StoreDamage extends Error {
  override name = 'StoreDamage';
  readonly what: string;

  /** `what`: a sentence without its full stop. `kept`: the directory with the files as they were found. */
  constructor(directory: string, what: string, kept?: string) {
    const files = kept === undefined ? 'No file was changed' : `The files as they were found are in ${kept}`;
    super(
      `the store in ${directory} is damaged: ${what}. ${files}. ` +
        'Restore the latest backup into an empty directory: gsq restore <file> --data-dir <directory>. ' +
        'Where there is none, save what is whole: gsq backup <file> --offline, and restore that. ' +
        'docs/operations.md has more under "When the store is damaged"',
    );
    this.what = what;
  }
}

/** The store was written by a later release. */
export class NewerStore extends Error {
  override name = 'NewerStore';

  constructor(directory: string, schema: number, known: number) {
    super(
      `the store in ${directory} has format ${schema}, and this release knows none after ${known}: ` +
        'run the release that wrote it or a later one; nothing was changed',
    );
  }
}

/** A list of damaged entries for a message: the first ten, and how many more there are. */
export function listDamaged(faults: readonly string[]): string {
  const more = faults.length - NAMED_ENTRIES;
  return faults.slice(0, NAMED_ENTRIES).join('; ') + (more > 0 ? `; and ${more} more` : '');
}
