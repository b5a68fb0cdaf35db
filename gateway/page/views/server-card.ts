import { count, counted } from './figures.ts';
import { html } from './html.ts';
import { joinLink } from './join-link.ts';
import { reasonText } from './reason-text.ts';
import { hasAnswered, nameOf, type ShownServer, serverPath } from './shown-server.ts';
import { shownText } from './shown-text.ts';
import { Sparkline, type Players as Trend } from './sparkline.ts';

interface Properties {
  server: ShownServer;
  /** Name of the game of the server. */
  game: string;
  /** Numbers of players of the server in the last 24 hours. Undefined if they are not loaded yet. */
  trend?: Trend | undefined;
}

/** A card of the server list: shows the status of one server. */
export function ServerCard({ server, game, trend = [] }: Properties) {
  const { status, reason } = server._updater;
  const known = hasAnswered(server) ? server : undefined;
  return html`<article class="card" data-status=${status}>
    <h2><a href=${serverPath(server)}><bdi>${nameOf(server)}</bdi></a></h2>
    <p class="quiet">${game}${known?.map && html` · <bdi>${shownText(known.map)}</bdi>`}</p>
    <div class="counts"><${Players} ...${known ?? {}} /><${Sparkline} players=${trend} /></div>
    <p class="facts">
      <${Status} status=${status} />
      ${known?.password && html`<span class="tag">password</span>`}
      ${known?._stale && html`<span class="tag">last seen ${known.updated} UTC</span>`}
      ${status === 'online' && known && html`<span class="quiet">${known.ping} ms</span>`}
    </p>
    ${status !== 'online' && html`<p class="quiet">${reasonText(reason)}</p>`}
    <p class="join"><${Join} server=${server} /></p>
  </article>`;
}

/** The status of a server: a coloured mark and a word. The word is for people who cannot see the colour. */
export function Status({ status }: { status: string }) {
  return html`<span class="status" data-status=${status}>${status}</span>`;
}

interface PlayersProperties {
  players?: number;
  maxplayers?: number;
  numbots?: number;
}

/** The number of players of a server, with a bar that shows how full the server is. */
export function Players({ players, maxplayers, numbots = 0 }: PlayersProperties) {
  if (players === undefined) return html`<p class="players quiet">Players unknown</p>`;
  const bots = numbots > 0 ? `, including ${counted(numbots, 'bot')}` : '';
  const text =
    maxplayers === undefined
      ? counted(players, 'player')
      : `${count(players)} of ${counted(maxplayers, 'player')}`;
  return html`<p class="players">
    ${maxplayers !== undefined && maxplayers > 0 && html`<meter min="0" max=${maxplayers} value=${Math.min(players, maxplayers)}></meter>`}
    <span>${text}${bots}</span>
  </p>`;
}

/** A link that joins the server, or its address if the game has no such link. */
export function Join({ server }: { server: ShownServer }) {
  const address = hasAnswered(server) ? server.connect : server.server;
  const link = joinLink(server.game_id, address);
  return link === undefined
    ? html`<code>${address}</code>`
    : html`<a class="button" href=${link} aria-label=${`Join ${nameOf(server)}`}>Join</a> <code>${address}</code>`;
}
