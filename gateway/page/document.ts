import type { VNode } from 'preact';
import { render } from 'preact-render-to-string';
import { LOADER } from './assets.ts';
import type { PageContext } from './page-context.ts';
import { html } from './views/html.ts';

/** A page: the contents of its `main` element, and the data for the other parts of the HTML document. */
export interface Page {
  title: string;
  description: string;
  main: VNode;
  /** Further elements of the document's head, such as Open Graph tags. */
  head?: readonly VNode[];
  /** The script that keeps parts of the page up to date. The page works without this script. */
  script?: 'list' | 'server' | 'docs';
  status?: number;
  /** Value of the header Cache-Control of the page. Pages are not cached by default. */
  cacheControl?: string;
}

const DOCS = ['/docs', 'API'] as const;
const LINKS = [['/', 'Servers'], ['/status', 'Status'], DOCS] as const;

/** Renders the HTML document of a page. `path`: path of the request, to mark the current page in the navigation. */
export function renderDocument(
  page: Page,
  path: string,
  { assets, contact, isOn }: Pick<PageContext, 'assets' | 'contact' | 'isOn'>,
): Buffer {
  const { title, description, head = [], main, script } = page;
  const document = html`<html lang="en">
    <head>
      <meta charset="utf-8" />
      <meta name="viewport" content="width=device-width, initial-scale=1" />
      <meta name="color-scheme" content="light dark" />
      <title>${title}</title>
      <meta name="description" content=${description} />
      <link rel="stylesheet" href=${assets.pathOf('page.css')} />
      <link rel="icon" href=${assets.pathOf('icon.svg')} type="image/svg+xml" />
      ${head}
    </head>
    <body data-script=${script && assets.pathOf(`${script}.js`)}>
      <a class="skip" href="#main">Skip to the content</a>
      <header class="top">
        <a class="brand" href=${isOn ? '/' : '/docs'}>gsq</a>
        <nav aria-label="Main">
          ${(isOn ? LINKS : [DOCS]).map(
            ([to, name]) => html`<a href=${to} aria-current=${to === path ? 'page' : undefined}>${name}</a>`,
          )}
        </nav>
      </header>
      <main id="main">${main}</main>
      <footer class="bottom">${contact && html`<p>Contact: <span dir="auto">${contact}</span></p>`}</footer>
      ${script && html`<script dangerouslySetInnerHTML=${{ __html: LOADER }} />`}
    </body>
  </html>`;
  return Buffer.from(`<!doctype html>${render(document)}`);
}
