import type { Terminal } from '../console/command.ts';
import { jsonLine } from '../console/printable.ts';
import { progressBar } from '../console/status-line.ts';
import type { ImportCounts } from './import-batch.ts';
import type { Refusal } from './list-entry.ts';

const MAX_SHOWN = 80;
const UNPRINTABLE = /[\p{C}\p{Zl}\p{Zp}]/gu;

/**
 * Shortens a value from the imported list for a message, and replaces characters that could manipulate the terminal.
 */
function shown(text: string): string {
  const clean = text.slice(0, MAX_SHOWN + 1).replace(UNPRINTABLE, ' ');
  return clean.length > MAX_SHOWN ? `${clean.slice(0, MAX_SHOWN).toWellFormed()}…` : clean;
}

/** Result of the import of a server list. */
export interface ImportEnd {
  counts: ImportCounts;
  dryRun: boolean;
  /** False if the import stopped before the end of the list. */
  complete: boolean;
}

/** Tells the user about an import: refused lines when they are found, the progress, and the counts at the end. */
export interface ImportReport {
  addRefusals(refusals: readonly Refusal[]): void;
  /**
   * `share`: share of the list that has been imported so far, from 0 to 1; undefined if the size of the list is
   * unknown.
   */
  showProgress(counts: ImportCounts, share: number | undefined): void;
  end(end: ImportEnd): void;
}

/**
 * Creates a report for people. It writes the refused lines of the imported list and the progress to stderr, and the
 * counts to stdout.
 */
export function wordReport(terminal: Terminal): ImportReport {
  const { statusLine } = terminal;
  return {
    addRefusals(refusals) {
      if (refusals.length > 0) statusLine?.show('');
      for (const { line, gameId, server, reason, message } of refusals) {
        const pair = [gameId, server].flatMap(text => (text === null ? [] : [shown(text)])).join(' ');
        terminal.talk(`line ${line}: ${pair === '' ? '' : `${pair}: `}${message} (${reason})`);
      }
    },
    showProgress({ read, refused }, share) {
      if (!statusLine) return;
      const text = `${read} read${refused > 0 ? `, ${refused} refused` : ''}`;
      statusLine.show(share === undefined ? text : progressBar(share, text, statusLine.columns));
    },
    end({ counts, dryRun, complete }) {
      statusLine?.show('');
      if (counts.read === 0 && !complete) return;
      const inserted = `${counts.inserted} ${dryRun ? 'would be inserted' : 'inserted'}`;
      terminal.out(
        `${counts.read} read, ${inserted}, ${counts.already_tracked} already tracked, ${counts.refused} refused\n`,
      );
    },
  };
}

/**
 * Creates an import report for programs: one JSON object on stdout. The object is written in small pieces, so the
 * report needs little memory.
 */
export function jsonReport(terminal: Terminal): ImportReport {
  let isFirst = true;
  return {
    addRefusals(refusals) {
      for (const { line, gameId, server, reason, message } of refusals) {
        const json = jsonLine({ line, game_id: gameId, server, reason, message }).trimEnd();
        terminal.out(`${isFirst ? '{"refused_lines":[' : ','}\n${json}`);
        isFirst = false;
      }
    },
    showProgress() {},
    end({ counts, dryRun, complete }) {
      const rest = JSON.stringify({ ...counts, dry_run: dryRun, complete }).slice(1);
      terminal.out(`${isFirst ? '{"refused_lines":[' : '\n'}],${rest}\n`);
    },
  };
}
