import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { trackedFiles } from '../../scripts/tracked-files.ts';

/** A code block of shell commands in a page of the documentation. */
export interface ShellBlock {
  /** Path of the page from the root of the project, such as `docs/rest.md`. */
  page: string;
  /** Heading above the shell block on the page, with its `#` signs. Empty if there is none. */
  heading: string;
  code: string;
}

const root = resolve(import.meta.dirname, '../..');
const SHELLS = new Set(['sh', 'bash']);

/**
 * Returns the shell blocks of a page of the documentation, in their order. A shell block can be indented, as in a list.
 */
function blocksIn(page: string): ShellBlock[] {
  const blocks: ShellBlock[] = [];
  let heading = '';
  let fence: { indent: string; language: string; lines: string[] } | undefined;
  for (const line of readFileSync(resolve(root, page), 'utf8').split('\n')) {
    const [, indent, language] = /^( *)```(\w*)$/.exec(line) ?? [];
    if (fence && indent === fence.indent && language === '') {
      if (SHELLS.has(fence.language)) blocks.push({ page, heading, code: `${fence.lines.join('\n')}\n` });
      fence = undefined;
    } else if (fence) fence.lines.push(line.slice(fence.indent.length));
    else if (indent !== undefined && language !== undefined) fence = { indent, language, lines: [] };
    else if (/^#+ /.test(line)) heading = line;
  }
  return blocks;
}

/** Returns all shell blocks of the documentation, page by page, in their order. */
export function shellBlocks(): ShellBlock[] {
  return trackedFiles()
    .filter(path => path.endsWith('.md'))
    .sort()
    .flatMap(blocksIn);
}
