import type { Command, OptionDefinition } from './command.ts';
import type { Output } from './output.ts';
import { TextTable } from './text-table.ts';
import { wrapText } from './text-width.ts';

/** Maximum length of a line of a help text, in columns. Longer lines are hard to read. */
const WIDEST = 100;
/** Width of a help text that is not shown on a terminal, in columns. */
const USUAL = 80;

/**
 * Returns a copy of `output` (stdout or stderr) for help texts. Only the width is different: at most WIDEST columns on
 * a terminal, and otherwise USUAL columns.
 */
export function proseOutput(output: Output): Output {
  return {
    isTerminal: output.isTerminal,
    columns: output.isTerminal ? Math.min(output.columns, WIDEST) : USUAL,
    paint: (style, text) => output.paint(style, text),
  };
}

/** Joins the lines of a paragraph into one line, without the indentation of the source code. */
function oneLine(text: string): string {
  return text.replace(/\s*\n\s*/g, ' ');
}

/** Wraps the paragraphs of a help text. An empty line separates two paragraphs. */
export function paragraphs(text: string, { columns }: Output): string {
  return text
    .split(/\n\n\s*/)
    .map(paragraph => wrapText(oneLine(paragraph), columns).join('\n'))
    .join('\n\n');
}

/**
 * Returns the usage lines of a help text, one for each usage of a command. Only the first line begins with `Usage:`.
 */
export function usageLines(usages: readonly string[], { columns }: Output): string {
  const INDENT = '       ';
  return usages
    .flatMap((usage, i) =>
      wrapText(usage, Math.max(1, columns - INDENT.length - 1)).map((line, j) =>
        i + j === 0 ? `Usage: ${line}\n` : `${INDENT}${j === 0 ? '' : ' '}${line}\n`,
      ),
    )
    .join('');
}

function optionRow([name, { value, about }]: [string, OptionDefinition]): [string, string] {
  return [`  --${name}${value === undefined ? '' : ` ${value}`}`, oneLine(about)];
}

/** Returns the text that `--help` prints for a command. */
export function commandHelp(name: string, command: Command, runnable: (text: string) => string, to: Output) {
  const output = proseOutput(to);
  const usages = command.usage.map(usage => runnable(`gsq ${name} ${usage}`.trimEnd()));
  const parts = [usageLines(usages, output).trimEnd(), paragraphs(runnable(command.about), output)];
  const rows = Object.entries(command.options).map(optionRow);
  if (rows.length > 0)
    parts.push(
      new TextTable(output).format(rows.map(([option, about]) => [option, runnable(about)])).trimEnd(),
    );
  if (command.notes !== undefined) parts.push(paragraphs(runnable(command.notes), output));
  if (command.calls !== undefined) {
    const flag = `--${command.calls.slice('GSQ_'.length).toLowerCase().replaceAll('_', '-')}`;
    parts.push(paragraphs(`Talks to the core at ${command.calls} (${flag}).`, output));
  }
  return `${parts.join('\n\n')}\n`;
}
