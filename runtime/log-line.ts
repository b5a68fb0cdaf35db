/**
 * Fields that `logLine` does not print as `field=value` at the end of a line. Each of these fields has a fixed place in
 * the line, or is of no use to a person at a terminal.
 */
const OWN_PLACE = ['level', 'time', 'pid', 'hostname', 'name', 'msg', 'err'];
const LEVELS = [
  { from: 60, word: 'fatal error' },
  { from: 50, word: 'error' },
  { from: 40, word: 'warning' },
  { from: 30, word: 'info' },
];
/** Characters that could manipulate the terminal. Values of a log line can come from game servers and callers. */
const UNPRINTABLE = /[\p{C}\p{Zl}\p{Zp}]/gu;

function shown(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
}

function messageOf(error: unknown): string {
  if (typeof error !== 'object' || error === null || !('message' in error)) return shown(error);
  return shown(error.message);
}

/**
 * Breaks the text of a log line at spaces into lines of at most `columns` characters. Indents all lines after the first
 * one.
 */
function wrap(text: string, columns: number): string {
  let line = '';
  const lines: string[] = [];
  for (const word of text.split(' ')) {
    if (line === '') line = word;
    else if (line.length + 1 + word.length <= columns) line += ` ${word}`;
    else {
      lines.push(line);
      line = `  ${word}`;
    }
  }
  return [...lines, line].join('\n');
}

/**
 * Returns a JSON log line as text for a person, without error stacks and control characters. The text ends with a line
 * feed. `columns`: width of the terminal. If undefined, the text is a single line.
 */
export function logLine(json: string, columns: number | undefined): string {
  const fields = JSON.parse(json) as Record<string, unknown>;
  const { level, time, name, msg, err } = fields;
  const word = LEVELS.find(({ from }) => Number(level) >= from)?.word ?? 'debug';
  const clock = new Date(Number(time)).toTimeString().slice(0, 8);
  const others = Object.entries(fields)
    .filter(([key]) => !OWN_PLACE.includes(key))
    .map(([key, value]) => `${key}=${shown(value)}`);
  const parts = [
    `${clock} ${shown(name)} ${word}: ${shown(msg)}`,
    ...(err === undefined ? [] : [`(${messageOf(err)})`]),
    ...others,
  ];
  const text = parts.join(' ').replace(UNPRINTABLE, ' ');
  return `${columns === undefined ? text : wrap(text, columns)}\n`;
}
