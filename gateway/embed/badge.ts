import { count, counted } from '../page/views/figures.ts';
import { html } from '../page/views/html.ts';
import { hasAnswered, nameOf, type ShownServer } from '../page/views/shown-server.ts';
import { shownText } from '../page/views/shown-text.ts';
import { renderSvg } from './render-svg.ts';
import { cutToWidth, textWidth } from './text-width.ts';

const HEIGHT = 20;
const FONT_SIZE = 11;
const PADDING = 6;
const MOST_LABEL = 220;
/**
 * Background colour of the right part of a badge (the message) for each status. White text on each of these colours has
 * a contrast of at least 4.5 to 1.
 */
const COLOURS: Readonly<Record<string, string>> = {
  online: '#1a7f37',
  offline: '#b3261e',
  pending: '#6e5a00',
};
const OTHER_COLOUR = '#57606a';

/**
 * Returns a badge of a server as SVG, in the flat look of shields.io. `label`: text on the left; the name of the server
 * if undefined.
 */
export function badgeSvg(server: ShownServer, label: string | undefined): string {
  const { status } = server._updater;
  const left = cutToWidth(shownText(label ?? '', nameOf(server)), FONT_SIZE, MOST_LABEL);
  const right = messageOf(server);
  const [leftWidth, rightWidth] = [textWidth(left, FONT_SIZE), textWidth(right, FONT_SIZE)];
  const split = leftWidth + 2 * PADDING;
  const width = split + rightWidth + 2 * PADDING;
  const title = `${left}: ${right}`;
  return renderSvg(html`<svg
    xmlns="http://www.w3.org/2000/svg"
    width=${width}
    height=${HEIGHT}
    viewBox=${`0 0 ${width} ${HEIGHT}`}
    role="img"
    aria-label=${title}
  >
    <title>${title}</title>
    <clipPath id="round"><rect width=${width} height=${HEIGHT} rx="3" /></clipPath>
    <g clip-path="url(#round)">
      <rect width=${split} height=${HEIGHT} fill="#3d4249" />
      <rect x=${split} width=${width - split} height=${HEIGHT} fill=${COLOURS[status] ?? OTHER_COLOUR} />
    </g>
    <g fill="#fff" font-family="Verdana,Geneva,DejaVu Sans,sans-serif" font-size=${FONT_SIZE}>
      <text x=${PADDING} y="14" textLength=${leftWidth}>${left}</text>
      <text x=${split + PADDING} y="14" textLength=${rightWidth}>${right}</text>
    </g>
  </svg>`);
}

function messageOf(server: ShownServer): string {
  const { status } = server._updater;
  if (status !== 'online' || !hasAnswered(server) || server.players === undefined) return status;
  const { players, maxplayers } = server;
  return maxplayers === undefined
    ? counted(players, 'player')
    : `${count(players)}/${counted(maxplayers, 'player')}`;
}
