import { html } from './html.ts';
import { nameOf, type ShownServer, serverPath } from './shown-server.ts';

interface Properties {
  server: ShownServer;
  /** URL of the gateway, without a slash at its end. */
  base: string;
}

/**
 * The embeds that people paste into their own pages: a badge, a card and a frame. Each embed has its code and a
 * preview.
 */
export function ServerEmbeds({ server, base }: Properties) {
  const page = base + serverPath(server);
  const [badge, card, frame] = [imagePath(server, 'badge'), imagePath(server, 'card'), framePath(server)];
  const snippets = [
    ['Badge, Markdown', `[![Server status](${base}${badge})](${page})`],
    ['Card, Markdown', `[![Server status](${base}${card})](${page})`],
    [
      'Card, HTML',
      `<a href="${page}"><img src="${base}${card}" alt="Server status" width="480" height="150"></a>`,
    ],
    ['Frame, HTML', `<iframe src="${base}${frame}" title="Server status" width="480" height="200"></iframe>`],
  ] as const;
  return html`<section aria-labelledby="embed">
    <h2 id="embed">Show it on your page</h2>
    <p><img src=${badge} alt=${`Badge of ${nameOf(server)}`} height="20" loading="lazy" /></p>
    <p><img class="preview" src=${card} alt=${`Card of ${nameOf(server)}`} width="480" height="150" loading="lazy" /></p>
    <dl class="snippets">
      ${snippets.map(
        ([name, code], i) => html`<div>
          <dt id=${`snippet-${i}`}>${name}</dt>
          <dd><pre tabindex="0" aria-labelledby=${`snippet-${i}`}><code>${code}</code></pre></dd>
        </div>`,
      )}
    </dl>
  </section>`;
}

/**
 * Returns HTML tags for the head of the page of a server. If somebody pastes a link to the page into a chat or a forum,
 * the chat or forum uses these tags to show a preview. The formats are Open Graph (ogp.me) and oEmbed discovery
 * (oembed.com).
 */
export function linkPreview(server: ShownServer, description: string, base: string) {
  const page = base + serverPath(server);
  const oembed = `${base}/oembed?${new URLSearchParams({ url: page })}`;
  const properties = [
    ['og:type', 'website'],
    ['og:site_name', 'gsq'],
    ['og:title', nameOf(server)],
    ['og:description', description],
    ['og:url', page],
    ['og:image', `${base}${imagePath(server, 'card').replace(/svg$/, 'png')}`],
    ['og:image:width', '960'],
    ['og:image:height', '300'],
    ['og:image:alt', `Card of ${nameOf(server)}`],
  ] as const;
  return [
    ...properties.map(([property, content]) => html`<meta property=${property} content=${content} />`),
    html`<meta name="twitter:card" content="summary_large_image" />`,
    html`<link rel="alternate" type="application/json+oembed" href=${oembed} />`,
  ];
}

function imagePath(server: ShownServer, image: 'badge' | 'card'): string {
  return `${serverPath(server).replace(/^\/server/, `/${image}`)}.svg`;
}

function framePath(server: ShownServer): string {
  return serverPath(server).replace(/^\/server/, '/embed');
}
