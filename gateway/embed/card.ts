import { count, counted } from '../page/views/figures.ts';
import type { HistoryAnswer } from '../page/views/history-answers.ts';
import { html } from '../page/views/html.ts';
import { reasonText } from '../page/views/reason-text.ts';
import { hasAnswered, nameOf, type ShownServer } from '../page/views/shown-server.ts';
import { shownText } from '../page/views/shown-text.ts';
import { longTime } from '../page/views/times.ts';
import type { CardLook } from './card-look.ts';
import { renderSvg } from './render-svg.ts';
import { cutToWidth } from './text-width.ts';

const WIDTH = 480;
const HEIGHT = 150;
const LEFT = 16;
const INNER = WIDTH - 2 * LEFT;
/**
 * Position and height of the bar chart on a server card, in units of the SVG. The chart shows the players of the last
 * 24 hours.
 */
const BARS = { top: 92, height: 36 };

/** The data that a server card shows. `history`: the number of players in each half hour of the last day. */
export interface CardFacts {
  server: ShownServer;
  /** Name of the game of the server. */
  game: string;
  history: HistoryAnswer;
}

/** Returns a card of a server as SVG: name, game, map, status, players now and in the last 24 hours. */
export function cardSvg({ server, game, history }: CardFacts, { paint, style, textOf }: CardLook): string {
  const { status, reason, last_probe_at: asked } = server._updater;
  const known = hasAnswered(server) ? server : undefined;
  const name = cutToWidth(nameOf(server), 18, INNER);
  const place = [game, shownText(known?.map ?? '')].filter(Boolean).join(' · ');
  const state = status === 'online' ? playersText(known) : reasonText(reason);
  return renderSvg(html`<svg
    xmlns="http://www.w3.org/2000/svg"
    width=${WIDTH}
    height=${HEIGHT}
    viewBox=${`0 0 ${WIDTH} ${HEIGHT}`}
    role="img"
    aria-label=${`${name}: ${status}. ${state}`}
  >
    <title>${`${name}: ${status}`}</title>
    ${style && html`<style dangerouslySetInnerHTML=${{ __html: style }} />`}
    <rect x="0.5" y="0.5" width=${WIDTH - 1} height=${HEIGHT - 1} rx="9" fill=${paint.page} stroke=${paint.line} />
    <g font-family="system-ui,Segoe UI,Roboto,DejaVu Sans,sans-serif" font-size="13" fill=${paint.quiet}>
      <text x=${LEFT} y="32" font-size="18" font-weight="600" fill=${paint.text}>${textOf(nameOf(server), 18, INNER)}</text>
      <text x=${LEFT} y="53">${textOf(place, 13, INNER)}</text>
      <circle cx=${LEFT + 5} cy="71" r="5" fill=${paint[colourOf(status)]} />
      <text x=${LEFT + 18} y="76"><tspan font-weight="600" fill=${paint[colourOf(status)]}>${status}</tspan>${`  ${cutToWidth(state, 13, INNER - 90)}`}</text>
      ${bars(history, paint.bar)}
      <text x=${LEFT} y="143" font-size="10">24 hours</text>
      <text x=${WIDTH - LEFT} y="143" font-size="10" text-anchor="end">${asked === null ? '' : `as of ${longTime(asked)}`}</text>
    </g>
  </svg>`);
}

function colourOf(status: string): 'online' | 'offline' | 'pending' {
  return status === 'online' || status === 'offline' ? status : 'pending';
}

function playersText(known: { players?: number; maxplayers?: number } | undefined): string {
  if (known?.players === undefined) return 'players unknown';
  const { players, maxplayers } = known;
  return maxplayers === undefined
    ? counted(players, 'player')
    : `${count(players)} of ${counted(maxplayers, 'player')}`;
}

/**
 * Returns the bars of the player chart: one for each step of the history. A step without a known number of players gets
 * no bar.
 */
function bars({ samples }: HistoryAnswer, colour: string) {
  const most = Math.max(1, ...samples.map(sample => sample?.players_mean ?? 0));
  const step = INNER / Math.max(samples.length, 1);
  return samples.map((sample, i) => {
    const mean = sample?.players_mean;
    if (mean === null || mean === undefined) return null;
    const height = Math.max(1, (BARS.height * mean) / most);
    const [x, y] = [LEFT + i * step, BARS.top + BARS.height - height];
    return html`<rect x=${x.toFixed(1)} y=${y.toFixed(1)} width=${(0.8 * step).toFixed(1)} height=${height.toFixed(1)} fill=${colour} />`;
  });
}
