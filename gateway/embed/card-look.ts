import type { VNode } from 'preact';
import { html } from '../page/views/html.ts';
import { drawableText, fontRuns } from './png/font-runs.ts';
import { cutToWidth } from './text-width.ts';

/** The colours of a server card (an image with the status of a server), keyed by their use. */
interface Palette {
  readonly page: string;
  readonly text: string;
  readonly quiet: string;
  readonly line: string;
  readonly bar: string;
  readonly online: string;
  readonly offline: string;
  readonly pending: string;
}

const PALETTES: Readonly<Record<'light' | 'dark', Palette>> = {
  light: {
    ...{ page: '#fff', text: '#1b1f24', quiet: '#57606a', line: '#d0d7de', bar: '#0550ae' },
    ...{ online: '#116329', offline: '#a40e26', pending: '#7a4b00' },
  },
  dark: {
    ...{ page: '#161b22', text: '#e6e9ed', quiet: '#9aa4af', line: '#30363d', bar: '#79b8ff' },
    ...{ online: '#56d364', offline: '#ff7b72', pending: '#e3b341' },
  },
};

/**
 * The colours of a server card as references to CSS custom properties, such as `var(--text)`. The style sheet of the
 * theme gives these properties their values.
 */
const VARIABLES = Object.fromEntries(
  Object.keys(PALETTES.light).map(name => [name, `var(--${name})`]),
) as unknown as Palette;
const [LIGHT, DARK] = [PALETTES.light, PALETTES.dark].map(palette =>
  Object.entries(palette)
    .map(([name, colour]) => `--${name}:${colour}`)
    .join(';'),
);

/** The style sheet of a server card for each theme. `auto` follows the colour scheme of the viewer. */
const STYLES = {
  light: `:root{${LIGHT}}`,
  dark: `:root{${DARK}}`,
  auto: `:root{${LIGHT}}@media(prefers-color-scheme:dark){:root{${DARK}}}`,
} as const;

export type Theme = keyof typeof STYLES;

export function isTheme(name: string): name is Theme {
  return Object.hasOwn(STYLES, name);
}

/** The look of a server card: its colours, its style sheet, and how its texts are drawn. */
export interface CardLook {
  readonly paint: Palette;
  /** Style sheet of the image of a server card. Empty if the image has none. */
  readonly style: string;
  /**
   * Returns a text of a game server as the content of an SVG `text` element. Cuts the text so that its width at
   * `fontSize` is at most `width`. `fontSize` and `width` are in units of the SVG.
   */
  textOf(text: string, fontSize: number, width: number): string | VNode[];
}

/**
 * Returns the colours, the style sheet and the text function (`CardLook`) for a server card in SVG format. The style
 * sheet defines the colours, because browsers support style sheets in SVG images.
 */
export function svgLook(theme: Theme): CardLook {
  return { paint: VARIABLES, style: STYLES[theme], textOf: cutToWidth };
}

/** Returns the colours and the text function (`CardLook`) for a server card in PNG format. */
export function pngLook(theme: Theme): CardLook {
  return {
    // The rasteriser (the library that draws PNG images) supports no CSS custom properties. Therefore each colour is a
    // fixed value.
    paint: PALETTES[theme === 'dark' ? 'dark' : 'light'],
    style: '',
    // The rasteriser (the library that draws PNG images) needs a font name for each part of a text.
    textOf: (text, fontSize, width) =>
      fontRuns(cutToWidth(drawableText(text), fontSize, width)).map(
        run => html`<tspan font-family=${run.family}>${run.text}</tspan>`,
      ),
  };
}
