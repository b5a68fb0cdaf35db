import { render } from 'preact-render-to-string';
import type { Assets } from '../page/assets.ts';
import { html } from '../page/views/html.ts';
import { ServerCard } from '../page/views/server-card.ts';
import { nameOf, type ShownServer } from '../page/views/shown-server.ts';

/** Interval at which the browser reloads the embedded page (frame) of a server, in seconds. */
const REFRESH_S = 60;

/** Returns the HTML of the frame that other sites can show: the card of one server. Links open in a new tab. */
export function frameHtml(server: ShownServer, game: string, assets: Assets): string {
  const document = html`<html lang="en">
    <head>
      <meta charset="utf-8" />
      <meta name="viewport" content="width=device-width, initial-scale=1" />
      <meta name="color-scheme" content="light dark" />
      <meta http-equiv="refresh" content=${REFRESH_S} />
      <title>${nameOf(server)}</title>
      <base target="_blank" />
      <link rel="stylesheet" href=${assets.pathOf('page.css')} />
    </head>
    <body class="frame"><${ServerCard} server=${server} game=${game} /></body>
  </html>`;
  return `<!doctype html>${render(document)}`;
}
