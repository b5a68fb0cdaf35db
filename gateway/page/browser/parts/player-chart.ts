import { render } from 'preact';
import uPlot from 'uplot';
import { RestClient, type RestServerRef } from '../../../../client/rest-client.ts';
import { type HistoryAnswer, isRangeName, type RangeName, rangeQuery } from '../../views/history-answers.ts';
import { chartSummary, HistoryTable } from '../../views/history-chart.ts';
import { html } from '../../views/html.ts';
import { chartData, isolatedIndexes, type Values } from './chart-data.ts';
import { LatestLoad } from './latest-load.ts';

const HEIGHT = 260;
const FAILED = 'These figures could not be loaded. The page still shows the figures from before.';

/**
 * Interactive chart of a server's number of players, which replaces the static chart of the page. Shows the mean, the
 * maximum and the values at the mouse pointer. Dragging zooms. A click on a time range loads it without a new page, and
 * also replaces the table below the chart.
 */
export class PlayerChart {
  readonly #host: HTMLElement;
  readonly #table = document.querySelector<HTMLElement>('#figures');
  readonly #notice = document.querySelector<HTMLElement>('#chart-failure');
  readonly #loads: LatestLoad<RangeName, HistoryAnswer>;
  #plot: uPlot | undefined;

  /** `key`: game id and address of the server, `game_id/address`. */
  constructor(host: HTMLElement, key: string) {
    this.#host = host;
    const slash = key.indexOf('/');
    const server: RestServerRef = { game_id: key.slice(0, slash), server: key.slice(slash + 1) };
    const client = new RestClient({ baseUrl: '' });
    this.#loads = new LatestLoad((range, signal) =>
      client.history(server, rangeQuery(range, Date.now()), { signal }),
    );
  }

  /**
   * Loads and draws the range of time that the static chart of the page shows. Listens for clicks on the links for
   * other ranges of time.
   */
  async start(): Promise<void> {
    const links = [...document.querySelectorAll<HTMLAnchorElement>('.ranges a')];
    for (const link of links) {
      link.addEventListener('click', event => {
        const range = link.dataset.range ?? null;
        if (!isRangeName(range) || event.ctrlKey || event.metaKey || event.shiftKey) return;
        event.preventDefault();
        void this.#choose(range, link, links);
      });
    }
    new ResizeObserver(() => this.#plot?.setSize({ width: this.#width(), height: HEIGHT })).observe(
      this.#host,
    );
    const scheme = matchMedia('(prefers-color-scheme: dark)');
    scheme.addEventListener('change', () => this.#plot?.redraw());
    const shown = new URLSearchParams(location.search).get('range');
    try {
      await this.#show(isRangeName(shown) ? shown : 'day');
    } catch {
      // If the history cannot be loaded, keeps the static chart that the page already shows.
    }
  }

  /**
   * Shows the range of time whose link the user has clicked. Changes the marked link and the URL only when the figures
   * of this range are shown.
   */
  async #choose(range: RangeName, link: HTMLAnchorElement, links: HTMLAnchorElement[]): Promise<void> {
    this.#setNotice('');
    try {
      if (!(await this.#show(range))) return;
    } catch {
      this.#setNotice(FAILED);
      return;
    }
    history.replaceState(null, '', link.href);
    for (const other of links) other.removeAttribute('aria-current');
    link.setAttribute('aria-current', 'true');
  }

  #setNotice(text: string): void {
    if (this.#notice) this.#notice.textContent = text;
  }

  /** Shows a range of time in the chart. Resolves to false if a newer load has begun. Rejects if the load fails. */
  async #show(range: RangeName): Promise<boolean> {
    const answer = await this.#loads.start(range);
    if (!answer) return false;
    this.#draw(answer);
    if (this.#table) render(html`<${HistoryTable} history=${answer} />`, this.#table);
    return true;
  }

  #draw(answer: HistoryAnswer): void {
    const data = chartData(answer);
    this.#plot?.destroy();
    this.#host.replaceChildren();
    this.#plot = new uPlot(this.#options(data[2]), data, this.#host);
    const { canvas } = this.#plot.ctx;
    canvas.setAttribute('role', 'img');
    canvas.setAttribute('aria-label', chartSummary(answer));
  }

  #options(mean: Values): uPlot.Options {
    const axis: uPlot.Axis = {
      stroke: resolved('--quiet'),
      grid: { stroke: resolved('--line'), width: 1 },
      ticks: { show: false },
    };
    const line = { stroke: resolved('--link'), spanGaps: false, points: { show: false } };
    return {
      width: this.#width(),
      height: HEIGHT,
      axes: [axis, { ...axis, size: 44 }],
      scales: { y: { range: (_plot, _min, max) => [0, Math.max(5, 1.05 * max)] } },
      bands: [{ series: [1, 2], fill: resolved('--band') }],
      series: [
        {},
        { label: 'Most', ...line, width: 0 },
        {
          label: 'Mean',
          ...line,
          width: 2,
          // uPlot draws no line for a time step without known neighbours, so the chart shows such a step as a point.
          points: { show: false, filter: isolatedIndexes(mean), fill: resolved('--link') },
          value: (_plot, value) => value?.toFixed(1) ?? '--',
        },
      ],
    };
  }

  #width(): number {
    const { paddingLeft, paddingRight } = getComputedStyle(this.#host);
    return this.#host.clientWidth - Number.parseFloat(paddingLeft) - Number.parseFloat(paddingRight);
  }
}

/**
 * Returns a function that reads a colour of the style sheet as a plain value. A canvas, on which the chart is drawn,
 * does not understand the CSS function light-dark().
 */
function resolved(name: string): () => string {
  return () => {
    const probe = document.createElement('span');
    probe.className = `colour${name}`;
    document.body.append(probe);
    const { color } = getComputedStyle(probe);
    probe.remove();
    return color;
  };
}
