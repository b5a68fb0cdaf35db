/**
 * Style of a text on the terminal: a heading, or a good, doubtful or bad value. The style decides the colour of the
 * text.
 */
export type Style = 'heading' | 'good' | 'doubtful' | 'bad';

/** SGR codes (ECMA-48) that begin and end each style. */
const CODES: Record<Style, readonly [number, number]> = {
  heading: [1, 22],
  good: [32, 39],
  doubtful: [33, 39],
  bad: [31, 39],
};

/** Properties of an output (stdout or stderr) that decide how a text is laid out. */
export interface Output {
  /** True if a person reads the output on a terminal. */
  readonly isTerminal: boolean;
  /** Width of the terminal in columns. Infinity if the output is not a terminal. Can change between two calls. */
  readonly columns: number;
  /** Adds the colour of a style to a text, if the output has colours. */
  paint(style: Style, text: string): string;
}

interface Stream {
  isTTY?: boolean | undefined;
  columns?: number | undefined;
}

/** Assumed number of columns of a terminal whose width is not known. */
const USUAL_COLUMNS = 80;

/**
 * Returns whether gsq writes colours to an output. `FORCE_COLOR` turns colours on, or off if its value is `0` or
 * `false`. `FORCE_COLOR` takes precedence over `NO_COLOR`, as in Node.
 */
function hasColours(isTerminal: boolean, env: Readonly<Record<string, string | undefined>>): boolean {
  const { FORCE_COLOR: forced, NO_COLOR: without, TERM: term } = env;
  if (forced !== undefined) return forced !== '0' && forced !== 'false';
  if (without !== undefined && without !== '') return false;
  return isTerminal && term !== 'dumb';
}

/**
 * Finds out whether stdout or stderr is a terminal, how wide the terminal is, and whether it shows colours. Uses the
 * stream and the environment variables.
 */
export function outputOf(stream: Stream, env: Readonly<Record<string, string | undefined>>): Output {
  const isTerminal = stream.isTTY === true;
  const coloured = hasColours(isTerminal, env);
  return {
    isTerminal,
    get columns() {
      return isTerminal ? stream.columns || USUAL_COLUMNS : Number.POSITIVE_INFINITY;
    },
    paint(style, text) {
      const [begin, end] = CODES[style];
      return coloured && text !== '' ? `\x1b[${begin}m${text}\x1b[${end}m` : text;
    },
  };
}
