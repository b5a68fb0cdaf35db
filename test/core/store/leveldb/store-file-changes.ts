import assert from 'node:assert/strict';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Returns the path of the only file in a directory whose name matches `kind`. Fails if there is not exactly one. */
export function onlyFile(directory: string, kind: RegExp): string {
  const names = readdirSync(directory).filter(name => kind.test(name));
  assert.equal(names.length, 1, names.join());
  return join(directory, names[0] ?? '');
}

/** Changes the bytes of a file. `by` changes them in place. */
export function changeBytes(file: string, by: (bytes: Buffer) => void): void {
  const bytes = readFileSync(file);
  by(bytes);
  writeFileSync(file, bytes);
}
