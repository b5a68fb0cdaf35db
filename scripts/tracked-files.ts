import { execFileSync } from 'node:child_process';
import { resolve } from 'node:path';

const root = resolve(import.meta.dirname, '..');

/** Paths, from the root, of the files that git tracks and that people write: no generated or vendored ones. */
export function trackedFiles(): string[] {
  const listed = execFileSync('git', ['ls-files', '-z', '*.ts', '*.md'], { cwd: root, encoding: 'utf8' });
  return listed
    .split('\0')
    .filter(path => path !== '' && !/(?:^|\/)(?:generated|google|grpc\/health)\//.test(path));
}
