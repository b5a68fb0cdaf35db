import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { test } from 'node:test';
import { trackedFiles } from '../../scripts/tracked-files.ts';

const root = resolve(import.meta.dirname, '../..');
const pages = trackedFiles().filter(path => path.endsWith('.md'));
/**
 * Pages that describe the source tree. Every file that such a page mentions must exist. Other pages, such as
 * docs/protocols.md, can mention files of other projects.
 */
const aboutTree = pages.filter(
  page => /^(?:CONTRIBUTING\.md|docs\/architecture\.md|[a-z]+\/README\.md)$/.test(page) || isDecision(page),
);

function isDecision(page: string): boolean {
  return page.startsWith('docs/decisions/');
}

/** Returns the text of a documentation page without its code blocks. */
function textOf(page: string): string {
  return readFileSync(join(root, page), 'utf8').replace(/^ *```.*?^ *```$/gms, '');
}

/**
 * Returns all file paths that a text contains in backticks. A file path has a slash and an extension. Patterns such as
 * `core/open-*.ts` do not count.
 */
function namedFiles(text: string): string[] {
  return [...text.matchAll(/`([\w.-]+(?:\/[\w.-]+)+\.[a-z0-9]+)`/g)].map(([, path = '']) => path);
}

/** Returns the anchor that GitHub generates for a heading. */
function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .trim()
    .replace(/\s/g, '-');
}

/**
 * Returns the anchors of a documentation page: those of its headings, and those that the page sets with `<a id="...">`.
 */
function anchorsOf(page: string): string[] {
  const text = textOf(page);
  const headings = [...text.matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) => anchorOf(heading));
  return [...headings, ...[...text.matchAll(/<a id="([^"]+)">/g)].map(([, id = '']) => id)];
}

/** Returns the broken links of a documentation page: links to a missing file or to a missing anchor. */
function brokenLinks(page: string, text: string): string[] {
  const links = [...text.matchAll(/\]\(([^)\s]+)\)/g)].map(([, link = '']) => link);
  return links.filter(link => {
    if (/^[a-z]+:/.test(link)) return false;
    const [path = '', anchor] = link.split('#', 2);
    const target = path === '' ? page : relative(root, resolve(root, dirname(page), path));
    if (!existsSync(join(root, target))) return true;
    return anchor !== undefined && target.endsWith('.md') && !anchorsOf(target).includes(anchor);
  });
}

test('the pages about the source tree mention only files that exist', () => {
  for (const page of ['CONTRIBUTING.md', 'docs/architecture.md', 'core/README.md', 'proto/README.md'])
    assert.ok(aboutTree.includes(page), page);
  const missing = aboutTree.flatMap(page =>
    namedFiles(textOf(page))
      .filter(path => ![path, join(dirname(page), path)].some(name => existsSync(join(root, name))))
      .map(path => `${page} names ${path}`),
  );
  assert.deepEqual(missing, []);
});

test('every link between pages points to an existing file and an existing heading', () => {
  const broken = pages.flatMap(page =>
    brokenLinks(page, textOf(page)).map(link => `${page} links to ${link}`),
  );
  assert.deepEqual(broken, []);
});

test('every npm script that CONTRIBUTING.md mentions exists', () => {
  const { scripts }: { scripts: Record<string, string> } = JSON.parse(
    readFileSync(join(root, 'package.json'), 'utf8'),
  );
  const named = [...textOf('CONTRIBUTING.md').matchAll(/`npm run ([\w:-]+)/g)].map(([, name = '']) => name);
  assert.ok(named.length > 0);
  assert.deepEqual(
    named.filter(name => !(name in scripts)),
    [],
  );
});

test('the checks of file paths and links in the docs find a missing file and broken links in a sample text', () => {
  assert.deepEqual(namedFiles('`core/none.ts` and `core/open-*.ts` and `main.ts`'), ['core/none.ts']);
  const text = '[a](none.md) [b](architecture.md#none) [c](architecture.md#a-fetch) [d](https://example.com)';
  assert.deepEqual(brokenLinks('docs/rest.md', text), ['none.md', 'architecture.md#none']);
});
