import { render } from 'preact-render-to-string';
import { ServiceError } from '../../proto/service-error.ts';
import { html } from '../page/views/html.ts';
import { nameOf, type ShownServer, serverPath } from '../page/views/shown-server.ts';

const WIDTH = 480;
const HEIGHT = 200;

/**
 * Returns the server that an oEmbed request (oembed.com) is about. Its parameter `url` is the URL of the server's page.
 * `base`: URL of this gateway. Throws SERVER_1 if `url` is not the page of a server at this gateway, and QUERY_1 for a
 * format other than JSON.
 */
export function wantedServer(
  query: URLSearchParams,
  base: string | undefined,
): { game_id: string; server: string } {
  const format = query.get('format') ?? 'json';
  if (format !== 'json')
    throw new ServiceError('QUERY_1', 'The query is not valid: format is not json.', {
      violations: [{ path: 'format', message: 'is not json' }],
    });
  const url = query.get('url') ?? '';
  const path = base !== undefined && url.startsWith(`${base}/server/`) ? url.slice(base.length) : '';
  const [, gameId, server] = /^\/server\/([^/?#]+)\/([^/?#]+)(?:[?#].*)?$/.exec(path) ?? [];
  const names = [decoded(gameId), decoded(server)];
  if (!names[0] || !names[1])
    throw new ServiceError('SERVER_1', 'This URL is not the page of a server at this service.');
  return { game_id: names[0], server: names[1] };
}

function decoded(segment: string | undefined): string {
  try {
    return decodeURIComponent(segment ?? '');
  } catch {
    return '';
  }
}

/**
 * Returns the oEmbed answer for a server. The answer has the type `rich` and contains an HTML iframe that shows the
 * server. The iframe is at most as large as the parameters `maxwidth` and `maxheight` allow.
 */
export function oembedJson(server: ShownServer, base: string, query: URLSearchParams): string {
  const width = atMost(WIDTH, query.get('maxwidth'));
  const height = atMost(HEIGHT, query.get('maxheight'));
  const path = serverPath(server).replace(/^\/server/, '/embed');
  const frame = html`<iframe src=${base + path} width=${width} height=${height} title="Game server" loading="lazy"></iframe>`;
  return JSON.stringify({
    version: '1.0',
    type: 'rich',
    provider_name: 'gsq',
    provider_url: base,
    title: nameOf(server),
    html: render(frame),
    width,
    height,
  });
}

function atMost(size: number, limit: string | null): number {
  const most = Number(limit);
  return most > 0 ? Math.min(size, Math.floor(most)) : size;
}
