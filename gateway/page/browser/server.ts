// The script of the page of a server: keeps the displayed state up to date, and makes the chart interactive.

import { render } from 'preact';
import { html } from '../views/html.ts';
import { ServerNow, UntrackedNow } from '../views/server-now.ts';
import { addCopyButton } from './parts/copy-button.ts';
import { LiveServers } from './parts/live-servers.ts';
import { PlayerChart } from './parts/player-chart.ts';

const now = document.querySelector<HTMLElement>('#now');
const key = now?.dataset.server;
if (now && key !== undefined) {
  const live = new LiveServers(
    states => {
      if (!states.has(key)) return;
      const server = states.get(key);
      const name = now.querySelector('h1')?.textContent ?? '';
      const view = server
        ? html`<${ServerNow} server=${server} game=${now.dataset.game ?? ''} />`
        : html`<${UntrackedNow} name=${name} />`;
      render(view, now);
    },
    { tab: document },
  );
  live.follow([key]);
}

for (const code of document.querySelectorAll<HTMLElement>('.snippets pre')) addCopyButton(code);

const chart = document.querySelector<HTMLElement>('#chart');
if (chart && key !== undefined) void new PlayerChart(chart, key).start();
