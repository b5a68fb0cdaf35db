import type { RestServiceStatus, RestSummary } from '../../../client/rest-types.generated.ts';
import { count, counted } from './figures.ts';
import { html } from './html.ts';

/** If the probes are delayed by at least this number of seconds, the page shows the delay as a problem. */
const LATE_S = 60;
/** Maximum number of games in the table of the status page. */
const MOST_GAMES = 20;

/** The state of one part of the service, and what an operator can do if the part has a problem. */
export interface Finding {
  part: string;
  isGood: boolean;
  text: string;
  /** What the operator can do about the problem of this part of the service. Empty if the part has no problem. */
  advice: string;
}

/**
 * Returns one `Finding` for each part of the service: the probers, their network, the schedule of the probes, and the
 * store.
 */
export function findings(status: RestServiceStatus): Finding[] {
  const { probers, schedule_lag_seconds: lag, outage, store_healthy: canStore } = status;
  return [
    {
      part: 'Probers',
      isGood: probers > 0,
      text: probers === 0 ? 'None is connected, so no game server is asked.' : `${probers} connected.`,
      advice: probers === 0 ? 'Start a prober: npm run prober.' : '',
    },
    {
      part: 'Network of the probers',
      isGood: !outage,
      text: outage
        ? 'Most game servers seem silent at once. No server is called offline meanwhile.'
        : 'Works.',
      advice: outage ? 'Check the network of the machine on which the prober runs.' : '',
    },
    {
      part: 'Schedule',
      isGood: lag < LATE_S,
      text:
        lag < 1
          ? 'Game servers are asked when they are due.'
          : `Game servers are asked up to ${Math.ceil(lag)} s late.`,
      advice: lag < LATE_S ? '' : 'Start a further prober, or raise GSQ_PACKETS_PER_SECOND.',
    },
    {
      part: 'Store',
      isGood: canStore,
      text: canStore ? 'Accepts changes.' : 'Accepts no changes, so no server can be added.',
      advice: canStore ? '' : 'Free disk space for the data directory; gsq doctor says more.',
    },
  ];
}

interface Properties {
  status: RestServiceStatus;
  summary: RestSummary;
  /** Names of the games, keyed by id. */
  names: ReadonlyMap<string, string>;
}

/** Status page: shows which parts of the service work, and how many servers the service watches. */
export function ServiceStatus({ status, summary, names }: Properties) {
  const found = findings(status);
  const bad = found.filter(({ isGood }) => !isGood).length;
  return html`<h1>${bad === 0 ? 'All parts of this service work' : 'This service needs attention'}</h1>
    <ul class="cards">
      ${found.map(
        ({ part, isGood, text, advice }) => html`<li>
          <section class="card">
            <h2>${part}</h2>
            <p><span class="status" data-status=${isGood ? 'online' : 'offline'}>${isGood ? 'works' : 'does not work'}</span></p>
            <p>${text}</p>
            ${advice !== '' && html`<p class="quiet">If you run this service: ${advice}</p>`}
          </section>
        </li>`,
      )}
    </ul>
    <h2 id="servers">Servers</h2>
    <p>
      ${counted(summary.servers, 'server')}, ${count(summary.online)} of them online, with ${counted(summary.players, 'player')}.
      ${status.limited === 1 && ' 1 is asked less often, because its host limits queries.'}
      ${status.limited > 1 && ` ${count(status.limited)} are asked less often, because their hosts limit queries.`}
    </p>
    <div class="scroll">
      <table class="table" aria-labelledby="servers">
        <thead>
          <tr>
            <th scope="col">Game</th>
            <th scope="col" class="number">Servers</th>
            <th scope="col" class="number">Online</th>
            <th scope="col" class="number">Players</th>
          </tr>
        </thead>
        <tbody>
          ${summary.games.slice(0, MOST_GAMES).map(
            ({ game_id: id, servers, online, players }) => html`<tr>
              <th scope="row"><a href=${`/?game=${encodeURIComponent(id)}`}>${names.get(id) ?? id}</a></th>
              <td class="number">${count(servers)}</td>
              <td class="number">${count(online)}</td>
              <td class="number">${count(players)}</td>
            </tr>`,
          )}
        </tbody>
      </table>
    </div>`;
}
