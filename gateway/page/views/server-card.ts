import { html } from './html.ts';
import { nameOf, type ShownServer, serverPath } from './shown-server.ts';

interface Properties {
  server: ShownServer;
  /** Name of the game. */
  game: string;
}

/** A card with the status of one server. */
export function ServerCard({ server, game }: Properties) {
  const { status } = server._updater;
  const { players, maxplayers, map } =
    'name' in server ? server : { players: undefined, maxplayers: undefined, map: '' };
  return html`<article class="card" data-status=${status}>
    <h2><a href=${serverPath(server)} dir="auto">${nameOf(server)}</a></h2>
    <p class="quiet"><span>${game}</span> · <span dir="auto">${map}</span></p>
    <p>
      <span class="status">${status}</span>
      ${players !== undefined && html`<meter min="0" max=${maxplayers ?? players} value=${players} /> ${players} of ${maxplayers ?? '?'} players`}
    </p>
  </article>`;
}
