import { html } from './html.ts';

const WIDTH = 96;
const HEIGHT = 24;

/** The numbers of players of a server in the last 24 hours. Unknown numbers are null. */
export type Players = readonly (number | null)[];

/** A small line chart of the number of players in the last 24 hours. A time without a known number is a gap. */
export function Sparkline({ players }: { players: Players }) {
  const known = players.filter(count => count !== null);
  if (known.length < 2) return null;
  const most = Math.max(1, ...known);
  const step = WIDTH / Math.max(1, players.length - 1);
  const points = players.map((count, i) =>
    count === null
      ? ''
      : `${(i * step).toFixed(1)},${(HEIGHT - 1 - ((HEIGHT - 2) * count) / most).toFixed(1)}`,
  );
  const runs = points.join(' ').split(/ {2,}/).filter(Boolean);
  return html`<svg
    class="sparkline"
    viewBox=${`0 0 ${WIDTH} ${HEIGHT}`}
    width=${WIDTH}
    height=${HEIGHT}
    role="img"
    aria-label=${`Players in the last 24 hours: ${Math.min(...known)} to ${Math.max(...known)}`}
  >
    ${runs.map(run => html`<polyline points=${run.trim()} />`)}
  </svg>`;
}
