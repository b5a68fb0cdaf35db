import { execFileSync } from 'node:child_process';
import { resolve } from 'node:path';

const root = resolve(import.meta.dirname, '..');

/**
 * Returns the paths of all TypeScript and Markdown files that git tracks, relative to the root of the project. Leaves
 * out generated files and copied third-party files.
 */
export function trackedFiles(): string[] {
  const listed = execFileSync('git', ['ls-files', '-z', '*.ts', '*.md'], { cwd: root, encoding: 'utf8' });
  return listed
    .split('\0')
    .filter(path => path !== '' && !/(?:^|\/)(?:generated|google|grpc\/health)\//.test(path));
}
