import type { Now } from '../../runtime/clock.ts';
import type { BaseUrl } from '../json/base-url.ts';
import type { CoreReads } from './core-reads.ts';
import type { Page } from './document.ts';
import type { GameNames } from './game-names.ts';
import { counted } from './views/figures.ts';
import {
  type HistoryAnswer,
  type IncidentsAnswer,
  isRangeName,
  rangeQuery,
  type UptimeAnswer,
} from './views/history-answers.ts';
import { html } from './views/html.ts';
import { linkPreview, ServerEmbeds } from './views/server-embeds.ts';
import { ServerNow } from './views/server-now.ts';
import { ServerHistory, ServerIncidents, ServerUptime } from './views/server-past.ts';
import { hasAnswered, nameOf, type ShownServer, serverPath } from './views/shown-server.ts';
import type { Visit } from './visit.ts';

const INCIDENTS = '20';

/** Builds the page `/server/{game_id}/{server}`: one server, now and in the past. */
export async function serverPage(
  visit: Visit,
  reads: CoreReads,
  games: GameNames,
  baseUrl: BaseUrl,
  now: Now,
): Promise<Page> {
  const { variables, query } = visit.target;
  const wanted = query.get('range');
  const range = isRangeName(wanted) ? wanted : 'day';
  // Reads the status of the server first, because this read fails if the server is unknown. Only this first read counts
  // against the caller's limits.
  const server = await reads.read<ShownServer>(visit, 'server', { variables });
  const [history, uptime, { incidents }, names] = await Promise.all([
    reads.read<HistoryAnswer>(visit, 'history', { variables, query: rangeQuery(range, now()) }, true),
    reads.read<UptimeAnswer>(visit, 'uptime', { variables }, true),
    reads.read<IncidentsAnswer>(visit, 'incidents', { variables, query: { page_size: INCIDENTS } }, true),
    games.load(),
  ]);
  const path = serverPath(server);
  const feed = `/v1${path.replace(/^\/server/, '/servers')}/incidents.atom`;
  const game = names.get(server.game_id) ?? server.game_id;
  const description = descriptionOf(server, game);
  // The embeds and the link preview contain the URL of the gateway. If this URL is not known, the page has neither of
  // them.
  const base = baseUrl.baseFor(visit.host);
  return {
    title: `${nameOf(server)} · ${game} · gsq`,
    description,
    head: [
      html`<link rel="alternate" type="application/atom+xml" title="Times offline" href=${feed} />`,
      ...(base === undefined ? [] : linkPreview(server, description, base)),
    ],
    script: 'server',
    main: html`<div id="now" data-server=${`${server.game_id}/${server.server}`} data-game=${game}>
        <${ServerNow} server=${server} game=${game} />
      </div>
      <${ServerHistory} history=${history} range=${range} path=${path} />
      <${ServerUptime} uptime=${uptime} />
      <${ServerIncidents} incidents=${incidents} feed=${feed} />
      ${base !== undefined && html`<${ServerEmbeds} server=${server} base=${base} />`}`,
  };
}

/** Returns a short text with the status of a server, for the description of its page. */
export function descriptionOf(server: ShownServer, game: string): string {
  const { status } = server._updater;
  const players = hasAnswered(server) ? server.players : undefined;
  const count = status === 'online' && players !== undefined ? ` with ${counted(players, 'player')}` : '';
  return `${game} server ${server.server}: ${status}${count}`;
}
