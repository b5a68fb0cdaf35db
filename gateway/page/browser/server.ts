// The script of the page of a server: keeps the displayed state up to date, and makes the chart interactive.

import { render } from 'preact';
import { html } from '../views/html.ts';
import { ServerNow } from '../views/server-now.ts';
import { addCopyButton } from './parts/copy-button.ts';
import { LiveServers } from './parts/live-servers.ts';
import { PlayerChart } from './parts/player-chart.ts';

const now = document.querySelector<HTMLElement>('#now');
const key = now?.dataset.server;
if (now && key !== undefined) {
  const live = new LiveServers(states => {
    const server = states.get(key);
    if (server) render(html`<${ServerNow} server=${server} game=${now.dataset.game ?? ''} />`, now);
  });
  live.follow([key]);
}

for (const code of document.querySelectorAll<HTMLElement>('.snippets pre')) addCopyButton(code);

const chart = document.querySelector<HTMLElement>('#chart');
if (chart && key !== undefined) void new PlayerChart(chart, key).start();
