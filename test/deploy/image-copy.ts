import { cpSync, mkdirSync, symlinkSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { scratchDirectory } from '../system/scratch-directory.ts';
import { copiedPaths, readProjectFile } from './container-files.ts';

const project = resolve(import.meta.dirname, '../..');

/**
 * Returns the names of the packages that `npm ci --omit=dev` installs in node_modules. The image contains these
 * packages.
 */
function productionPackages(): string[] {
  const { packages } = JSON.parse(readProjectFile('package-lock.json')) as {
    packages: Record<string, { dev?: boolean; optional?: boolean }>;
  };
  return Object.entries(packages)
    .filter(([path, { dev }]) => /^node_modules\/(?:@[^/]+\/)?[^/]+$/.test(path) && dev !== true)
    .map(([path]) => path.slice('node_modules/'.length));
}

/**
 * Copies the files of the container image to a new directory, but not the npm packages. Returns the path of the
 * directory.
 */
export function copyImageFiles(): string {
  const directory = join(scratchDirectory(), 'gsq');
  for (const path of copiedPaths()) {
    cpSync(join(project, path), join(directory, path), { recursive: true });
  }
  return directory;
}

/**
 * Copies the files of the container image to a new directory, with symbolic links to its npm packages. Returns the
 * path of the directory.
 */
export function copyImage(): string {
  const directory = copyImageFiles();
  for (const name of productionPackages()) {
    const link = join(directory, 'node_modules', name);
    mkdirSync(dirname(link), { recursive: true });
    symlinkSync(join(project, 'node_modules', name), link);
  }
  return directory;
}
