import { percent } from './figures.ts';
import type { HistoryAnswer, HistoryStep } from './history-answers.ts';
import { html } from './html.ts';
import { shortTime } from './times.ts';

const WIDTH = 800;
const HEIGHT = 240;
/** Space for the axis labels at the left of the player chart, in units of the SVG. */
const LEFT = 44;
const BOTTOM = 26;
const TOP = 8;
const TIME_LABELS = 5;
/**
 * Maximum number of rows of the table below the player chart. If the chart has more time steps, each row joins several
 * of them, so that the page stays short.
 */
const MOST_ROWS = 96;

/** Rounds `value` up to the next number in the series 5, 10, 20, 50, 100, 200, 500 and so on. */
export function niceMax(value: number): number {
  const wanted = Math.max(value, 5);
  const power = 10 ** Math.floor(Math.log10(wanted));
  return [1, 2, 5, 10].map(factor => factor * power).find(nice => nice >= wanted) ?? 10 * power;
}

/**
 * Chart of the number of players of a server over time: a line for the mean, a band up to the maximum, and gaps for
 * unknown numbers. For screen readers, the chart is one image with a summary.
 */
export function HistoryChart({ history }: { history: HistoryAnswer }) {
  const { samples, step_seconds: stepSeconds } = history;
  const top = niceMax(Math.max(0, ...samples.map(sample => sample?.players_max ?? 0)));
  const from = Date.parse(history.from);
  const to = Date.parse(history.to);
  const x = (index: number): number => LEFT + ((WIDTH - LEFT) * (index + 0.5)) / samples.length;
  const y = (players: number): number => TOP + (HEIGHT - TOP - BOTTOM) * (1 - players / top);
  const runs = knownRuns(samples);
  const timeAt = (i: number): number => from + ((to - from) * i) / (TIME_LABELS - 1);
  return html`<svg class="chart" viewBox=${`0 0 ${WIDTH} ${HEIGHT}`} role="img" aria-label=${chartSummary(history)}>
    ${[0, top / 2, top].map(
      value => html`<g class="axis">
        <line x1=${LEFT} x2=${WIDTH} y1=${y(value)} y2=${y(value)} />
        <text x=${LEFT - 6} y=${y(value) + 4} text-anchor="end">${value}</text>
      </g>`,
    )}
    ${Array.from({ length: TIME_LABELS }, (_, i) => {
      const anchor = i === 0 ? 'start' : i === TIME_LABELS - 1 ? 'end' : 'middle';
      const at = LEFT + ((WIDTH - LEFT) * i) / (TIME_LABELS - 1);
      return html`<text class="axis" x=${at} y=${HEIGHT - 6} text-anchor=${anchor}>
        ${shortTime(timeAt(i), stepSeconds)}
      </text>`;
    })}
    ${runs.map(run => html`<path class="band" d=${bandPath(run, x, y)} /><path class="mean" d=${linePath(run, x, y)} />`)}
  </svg>`;
}

/**
 * A time step of a server's history for which the numbers of players are known. `index`: position of the step in the
 * history.
 */
interface Point {
  index: number;
  mean: number;
  max: number;
}

/**
 * Splits the history of a server into runs. A run consists of neighbouring time steps with a known number of players.
 * Time steps without a known number are left out.
 */
function knownRuns(samples: readonly (HistoryStep | null)[]): Point[][] {
  const runs: Point[][] = [];
  let run: Point[] = [];
  samples.forEach((sample, index) => {
    if (sample?.players_mean === null || sample?.players_mean === undefined) run = [];
    else {
      if (run.length === 0) runs.push(run);
      run.push({ index, mean: sample.players_mean, max: sample.players_max ?? sample.players_mean });
    }
  });
  return runs;
}

type Scale = (value: number) => number;

/**
 * Returns the SVG path of a line in the player chart: the mean number of players in neighbouring time steps. A single
 * time step becomes a short line, because a path of one point is not visible.
 */
function linePath(run: readonly Point[], x: Scale, y: Scale): string {
  const points = run.map(({ index, mean }) => `${x(index).toFixed(1)} ${y(mean).toFixed(1)}`);
  return points.length === 1 ? `M${points[0]}h2` : `M${points.join('L')}`;
}

function bandPath(run: readonly Point[], x: Scale, y: Scale): string {
  const upper = run.map(({ index, max }) => `${x(index).toFixed(1)} ${y(max).toFixed(1)}`);
  const lower = run.map(({ index, mean }) => `${x(index).toFixed(1)} ${y(mean).toFixed(1)}`);
  return `M${[...upper, ...lower.reverse()].join('L')}Z`;
}

/** Describes the player chart in one or two sentences, for people who cannot see it. */
export function chartSummary({ samples }: HistoryAnswer): string {
  const known = samples.filter(sample => sample !== null && sample.players_mean !== null);
  if (known.length === 0) return 'The number of players is not known in this time.';
  const most = Math.max(...known.map(sample => sample?.players_max ?? 0));
  const share = percent(known.length / samples.length);
  return `Players over time: at most ${most}. Known in ${share} of the time. The table below has the figures.`;
}

/**
 * The table below the player chart. Each row shows the mean and the maximum number of players and the online share, for
 * one or several time steps. A cell for an unknown mean or share contains the word `unknown`.
 */
export function HistoryTable({ history }: { history: HistoryAnswer }) {
  const { samples, step_seconds: stepSeconds } = history;
  const from = Date.parse(history.from);
  const joined = Math.ceil(samples.length / MOST_ROWS);
  const rows = Array.from({ length: Math.ceil(samples.length / joined) }, (_, row) =>
    joinSteps(samples.slice(row * joined, (row + 1) * joined)),
  );
  return html`<details>
    <summary>The figures as a table</summary>
    <div class="scroll">
      <table class="table">
        <thead>
          <tr>
            <th scope="col">From (UTC)</th>
            <th scope="col" class="number">Players, mean</th>
            <th scope="col" class="number">Players, most</th>
            <th scope="col" class="number">Online</th>
          </tr>
        </thead>
        <tbody>
          ${rows.map(
            ({ mean, most, online }, row) => html`<tr>
              <th scope="row">${shortTime(from + row * joined * stepSeconds * 1_000, stepSeconds)}</th>
              <td class="number">${mean === undefined ? 'unknown' : mean.toFixed(1)}</td>
              <td class="number">${most ?? ''}</td>
              <td class="number">${percent(online ?? null)}</td>
            </tr>`,
          )}
        </tbody>
      </table>
    </div>
  </details>`;
}

/**
 * Joins neighbouring time steps of a server's history to one row of a table. `mean` and `most`: mean and highest number
 * of players. `online`: share of time in which the server was online. A value is undefined if it is unknown for all
 * these time steps.
 */
function joinSteps(steps: readonly (HistoryStep | null)[]): {
  mean: number | undefined;
  most: number | undefined;
  online: number | undefined;
} {
  const meanOf = (values: readonly number[]): number | undefined =>
    values.length === 0 ? undefined : values.reduce((sum, value) => sum + value, 0) / values.length;
  const known = <Key extends keyof HistoryStep>(key: Key): number[] =>
    steps.flatMap(step => (typeof step?.[key] === 'number' ? [step[key]] : []));
  const most = known('players_max');
  return {
    mean: meanOf(known('players_mean')),
    most: most.length === 0 ? undefined : Math.max(...most),
    online: meanOf(known('online_share')),
  };
}
