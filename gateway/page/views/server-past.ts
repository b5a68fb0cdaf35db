import { percent } from './figures.ts';
import {
  type HistoryAnswer,
  type IncidentsAnswer,
  RANGES,
  type RangeName,
  type UptimeAnswer,
} from './history-answers.ts';
import { HistoryChart, HistoryTable } from './history-chart.ts';
import { html } from './html.ts';
import { reasonText } from './reason-text.ts';
import { duration, longTime } from './times.ts';

interface ChartProperties {
  history: HistoryAnswer;
  range: RangeName;
  /** URL path of the page of the server. */
  path: string;
}

/** The section with the chart and the table of a server's number of players, and with a link for each range of time. */
export function ServerHistory({ history, range, path }: ChartProperties) {
  return html`<section aria-labelledby="history">
    <h2 id="history">Players over time</h2>
    <nav class="ranges" aria-label="Range of the chart">
      ${Object.keys(RANGES).map(
        name => html`<a
          href=${`${path}?range=${name}`}
          data-range=${name}
          aria-current=${name === range ? 'true' : undefined}
          >${name}</a
        >`,
      )}
    </nav>
    <div class="panel" id="chart"><${HistoryChart} history=${history} /></div>
    <p id="chart-failure" class="quiet" role="status"></p>
    <div id="figures"><${HistoryTable} history=${history} /></div>
  </section>`;
}

/** The uptime of a server in several time windows, and the share of each window in which the status is known. */
export function ServerUptime({ uptime }: { uptime: UptimeAnswer }) {
  return html`<section aria-labelledby="uptime">
    <h2 id="uptime">Uptime</h2>
    <dl class="uptime">
      ${uptime.windows.map(
        ({ window, online_share: online, known_share: known }) => html`<div class="panel">
          <dt>${window}</dt>
          <dd>
            <strong>${percent(online)}</strong>
            <span class="quiet">${known === 1 ? 'all of it known' : `${percent(known)} of it known`}</span>
          </dd>
        </div>`,
      )}
    </dl>
  </section>`;
}

interface IncidentsProperties {
  incidents: IncidentsAnswer['incidents'];
  /** URL path of the Atom feed with the incidents of the server. */
  feed: string;
}

/** The section with a table of the times in which a server was offline. */
export function ServerIncidents({ incidents, feed }: IncidentsProperties) {
  return html`<section aria-labelledby="incidents">
    <h2 id="incidents">Times offline</h2>
    ${
      incidents.length === 0
        ? html`<p class="quiet">None is known.</p>`
        : html`<div class="scroll">
            <table class="table">
              <thead>
                <tr>
                  <th scope="col">From</th>
                  <th scope="col">For</th>
                  <th scope="col">Why</th>
                </tr>
              </thead>
              <tbody>
                ${incidents.map(
                  ({ started, ended, reason }) => html`<tr>
                    <td>${longTime(started)}</td>
                    <td>${lasted(started, ended)}</td>
                    <td>${reasonText(reason)}</td>
                  </tr>`,
                )}
              </tbody>
            </table>
          </div>`
    }
    <p><a href=${feed} type="application/atom+xml">Follow them in a feed reader</a></p>
  </section>`;
}

/**
 * Returns how long a server was offline in one incident, as text. `ended` is null while the server is still offline,
 * and equal to `started` if the end is unknown.
 */
function lasted(started: string, ended: string | null): string {
  if (ended === null) return 'still offline';
  return ended === started ? 'unknown' : duration(Date.parse(ended) - Date.parse(started));
}
