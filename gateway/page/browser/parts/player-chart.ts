import uPlot from 'uplot';
import { RestClient, type RestServerRef } from '../../../../client/rest-client.ts';
import { type HistoryAnswer, isRangeName, type RangeName, rangeQuery } from '../../views/history-answers.ts';

const HEIGHT = 260;

/**
 * Interactive chart of a server's number of players, which replaces the static chart of the page. Shows the mean, the
 * maximum and the values at the mouse pointer. Dragging zooms. A click on a time range loads it without a new page.
 */
export class PlayerChart {
  readonly #host: HTMLElement;
  readonly #server: RestServerRef;
  readonly #client = new RestClient({ baseUrl: '' });
  #plot: uPlot | undefined;

  /** `key`: game id and address of the server, `game_id/address`. */
  constructor(host: HTMLElement, key: string) {
    this.#host = host;
    const slash = key.indexOf('/');
    this.#server = { game_id: key.slice(0, slash), server: key.slice(slash + 1) };
  }

  /**
   * Loads and draws the range of time that the static chart of the page shows. Listens for clicks on the links for
   * other ranges of time.
   */
  async start(): Promise<void> {
    const links = document.querySelectorAll<HTMLAnchorElement>('.ranges a');
    for (const link of links) {
      link.addEventListener('click', event => {
        const range = link.dataset.range ?? null;
        if (!isRangeName(range) || event.ctrlKey || event.metaKey || event.shiftKey) return;
        event.preventDefault();
        history.replaceState(null, '', link.href);
        for (const other of links) other.removeAttribute('aria-current');
        link.setAttribute('aria-current', 'true');
        void this.#load(range);
      });
    }
    new ResizeObserver(() => this.#plot?.setSize({ width: this.#width(), height: HEIGHT })).observe(
      this.#host,
    );
    const scheme = matchMedia('(prefers-color-scheme: dark)');
    scheme.addEventListener('change', () => this.#plot?.redraw());
    const shown = new URLSearchParams(location.search).get('range');
    await this.#load(isRangeName(shown) ? shown : 'day');
  }

  async #load(range: RangeName): Promise<void> {
    try {
      this.#draw(await this.#client.history(this.#server, rangeQuery(range, Date.now())));
    } catch {
      // If the history cannot be loaded, keeps the chart that the page already shows.
    }
  }

  #draw({ from, step_seconds: step, samples }: HistoryAnswer): void {
    const begin = Date.parse(from) / 1_000;
    const data: uPlot.AlignedData = [
      samples.map((_, i) => begin + i * step),
      samples.map(sample => sample?.players_max ?? null),
      samples.map(sample => sample?.players_mean ?? null),
    ];
    this.#plot?.destroy();
    this.#host.replaceChildren();
    this.#plot = new uPlot(this.#options(), data, this.#host);
  }

  #options(): uPlot.Options {
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
        { label: 'Mean', ...line, width: 2, value: (_plot, value) => value?.toFixed(1) ?? '--' },
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
