import { readFileSync } from 'node:fs';

/**
 * Returns the `bash` blocks of a section of docs/operations.md, with its subsections. These are the blocks that tests
 * run. Fails if there is no such section.
 */
export function operationsBlocks(heading: string): string[] {
  const page = readFileSync(new URL('../../docs/operations.md', import.meta.url), 'utf8');
  const [, section] = page.split(`\n## ${heading}\n`);
  if (section === undefined) throw new Error(`docs/operations.md has no section ${heading}`);
  const [text = ''] = section.split('\n## ');
  return [...text.matchAll(/^```bash\n(.*?)^```$/gms)].map(([, block = '']) => block);
}
