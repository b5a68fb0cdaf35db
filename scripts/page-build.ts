import { readdirSync, readFileSync } from 'node:fs';
import { basename, extname, join } from 'node:path';
import { build } from 'esbuild';

const source = join(import.meta.dirname, '../gateway/page/browser');

/**
 * Bundles the scripts and styles of the pages. Returns the contents of each built file, keyed by name. Images are
 * copied.
 */
export async function buildPage(): Promise<Map<string, Uint8Array>> {
  const names = readdirSync(source).filter(name => name !== 'tsconfig.json' && extname(name) !== '');
  const images = names.filter(name => extname(name) === '.svg');
  const { outputFiles } = await build({
    entryPoints: names.filter(name => !images.includes(name)).map(name => join(source, name)),
    outdir: source,
    bundle: true,
    write: false,
    minify: true,
    format: 'esm',
    target: ['chrome123', 'firefox125', 'safari17.5'],
    legalComments: 'inline',
    charset: 'utf8',
  });
  return new Map([
    ...outputFiles.map(({ path, contents }): [string, Uint8Array] => [basename(path), contents]),
    ...images.map((name): [string, Uint8Array] => [name, readFileSync(join(source, name))]),
  ]);
}
