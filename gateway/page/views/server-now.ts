import { html } from './html.ts';
import { reasonText } from './reason-text.ts';
import { Join, Players, Status } from './server-card.ts';
import { hasAnswered, nameOf, type ShownServer } from './shown-server.ts';
import { shownText } from './shown-text.ts';
import { longTime } from './times.ts';

/**
 * Maximum number of players in the player list of a page. A game server can report more players, but a page must stay
 * short.
 */
const MOST_PLAYERS = 256;

interface Properties {
  server: ShownServer;
  /** Name of the game of the server. */
  game: string;
}

/** Shows the present state of a server: its status, the data of its last answer, and its players. */
export function ServerNow({ server, game }: Properties) {
  const { status, reason, last_probe_at: asked, last_online_at: seen } = server._updater;
  const known = hasAnswered(server) ? server : undefined;
  return html`<h1><bdi>${nameOf(server)}</bdi></h1>
    <section class="panel now" aria-label="Now" data-status=${status}>
      <p class="facts">
        <${Status} status=${status} />
        <span>${game}</span>
        ${known?.map && html`<span>Map <bdi>${shownText(known.map)}</bdi></span>`}
        ${known?.password && html`<span class="tag">password</span>`}
      </p>
      ${status !== 'online' && html`<p>${reasonText(reason)}</p>`}
      ${known ? html`<${Players} ...${known} />` : html`<p>This server has not answered yet.</p>`}
      ${known?._stale && html`<p class="quiet">These data are from ${known.updated} UTC.</p>`}
      <p class="join"><${Join} server=${server} /></p>
      <p class="quiet">
        ${known && html`Version <bdi>${shownText(known.version, 'unknown')}</bdi>, reply in ${known.ping} ms. `}
        ${asked !== null && `Asked ${longTime(asked)}. `}
        ${status !== 'online' && seen !== null && `Last answer ${longTime(seen)}.`}
      </p>
    </section>
    ${known && html`<${PlayerTable} players=${known.raw.players} />`}`;
}

/**
 * Replaces ServerNow on an open page if gsq no longer tracks the server. `name`: the name that the page showed before.
 */
export function UntrackedNow({ name }: { name: string }) {
  return html`<h1><bdi>${name}</bdi></h1>
    <section class="panel now" aria-label="Now">
      <p>This service no longer tracks this server, so its status is unknown.</p>
    </section>`;
}

interface Player {
  name: string;
  score: number;
  time: number;
}

function PlayerTable({ players }: { players: readonly Player[] }) {
  if (players.length === 0) return html`<p class="quiet">The server names no players.</p>`;
  return html`<section aria-labelledby="players">
    <h2 id="players">Players</h2>
    <div class="scroll list" tabindex="0" role="region" aria-labelledby="players">
      <table class="table">
        <thead>
          <tr>
            <th scope="col">Name</th>
            <th scope="col" class="number">Score</th>
            <th scope="col" class="number">Minutes</th>
          </tr>
        </thead>
        <tbody>
          ${players.slice(0, MOST_PLAYERS).map(
            ({ name, score, time }) => html`<tr>
              <td><bdi>${shownText(name, 'no name')}</bdi></td>
              <td class="number">${score}</td>
              <td class="number">${Math.floor(time / 60)}</td>
            </tr>`,
          )}
        </tbody>
      </table>
    </div>
  </section>`;
}
