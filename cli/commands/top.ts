import { setTimeout as pause } from 'node:timers/promises';
import { exitStatus } from '../../runtime/lifecycle.ts';
import { type Command, CommandError, type Terminal, UsageError } from '../console/command.ts';
import { withRunnableCommands } from '../console/invocation.ts';
import type { LiveScreen } from '../console/live-screen.ts';
import { heading, TextTable } from '../console/text-table.ts';
import { wrapText } from '../console/text-width.ts';
import { readableTime } from '../console/timestamp.ts';
import { type CallCore, withCore } from '../service/core-call.ts';
import { proberState, readStats, type ServiceStats, storeState } from '../service/service-stats.ts';

const EVERY_MS = 1_000;
/**
 * Longest time that `gsq top` waits for a reply of the core, in milliseconds. A core that needs longer is too slow for
 * a live screen.
 */
const DEADLINE_MS = 3_000;
/** Maximum number of games that one screen of `gsq top` shows. */
const GAMES = 50;

/** The statistics of a service, and the time at which they were read. */
interface Sample {
  stats: ServiceStats;
  /** Time when the statistics were read, on a monotonic clock, in milliseconds. */
  at: number;
}

async function sample(call: CallCore): Promise<Sample> {
  return { stats: await readStats(call, GAMES), at: performance.now() };
}

/**
 * Returns how much a counter of the statistics grew per second between two samples. Returns `-` if the core restarted
 * in between.
 */
function rate(before: Sample, after: Sample, count: (stats: ServiceStats) => number): string {
  const seconds = (after.at - before.at) / 1000;
  const more = count(after.stats) - count(before.stats);
  return before.stats.started_at === after.stats.started_at && seconds > 0
    ? (more / seconds).toFixed(more / seconds < 10 ? 1 : 0)
    : '-';
}

function share(count: number, all: number): string {
  return all === 0 ? '-' : `${((count / all) * 100).toFixed(1)} %`;
}

/**
 * Returns the lines of one screen of `gsq top`. Calculates rates from the samples `before` and `after`, and takes all
 * other numbers from `after`.
 */
export function screenLines(
  before: Sample,
  after: Sample,
  { stdout, now }: Pick<Terminal, 'stdout' | 'now'>,
): string[] {
  const { stats } = after;
  const { servers, labels, fetches, probes } = stats;
  const row = (name: string, count: number): string[] => [name, String(count), share(count, servers.tracked)];
  const doing = new TextTable(stdout).format([
    heading('', 'PER SECOND', 'IN PROGRESS', 'SINCE START'),
    ...[
      [
        'fetches',
        rate(before, after, ({ fetches: { answered } }) => answered),
        fetches.in_flight,
        fetches.answered,
      ],
      ['refused', rate(before, after, ({ fetches: { refused } }) => refused), '', fetches.refused],
      [
        'probes',
        rate(before, after, ({ probes: { recorded } }) => recorded),
        probes.in_flight,
        probes.recorded,
      ],
      ['found online', rate(before, after, ({ probes: { online } }) => online), '', probes.online],
    ].map(cells => cells.map(String)),
  ]);
  const standing = new TextTable(stdout).format([
    heading('SERVERS', String(servers.tracked), ''),
    row('online', servers.online),
    row('offline', servers.offline),
    row('pending', servers.pending),
    ...Object.entries(labels).map(([label, count]) => row(label, count)),
  ]);
  const playing = new TextTable(stdout).format([
    heading('GAMES', '', ''),
    ...stats.games.map(({ game_id, servers: count }) => row(game_id, count)),
  ]);
  return [
    ...wrapText(
      `gsq ${stats.version}, started ${readableTime(stats.started_at, stdout, now)}`,
      stdout.columns,
    ),
    ...wrapText(
      `probers ${proberState(probes)}   lag ${probes.lag_seconds.toFixed(2)} s   store ${storeState(stats.store)}`,
      stdout.columns,
    ),
    '',
    ...[doing, standing, playing].flatMap(part => part.split('\n')),
  ].slice(0, -1);
}

/**
 * Redraws the screen of `gsq top` once a second until the user quits. If the core does not answer, shows the error and
 * tries again.
 */
async function watch(call: CallCore, screen: LiveScreen, first: Sample, terminal: Terminal): Promise<void> {
  let left = false;
  const leaving = screen.left.then(() => {
    left = true;
  });
  let before = first;
  let lines = screenLines(before, before, terminal);
  while (!left) {
    screen.draw(['press q to quit', ...lines]);
    await Promise.race([pause(EVERY_MS, undefined, { ref: false }), leaving]);
    if (left) return;
    try {
      const after = await Promise.race([sample(call), leaving]);
      if (!after) return;
      lines = screenLines(before, after, terminal);
      before = after;
    } catch (error) {
      if (!(error instanceof CommandError)) throw error;
      lines = [...withRunnableCommands(error.message).split('\n'), 'Trying again every second.'].flatMap(
        line => wrapText(line, terminal.stdout.columns),
      );
    }
  }
}

export const top: Command = {
  usage: [''],
  about: `Shows what the service does now, and updates the screen every second: fetches and probes per second
    and in progress, how late the probes are, and the servers by status, label and game. Press q or Ctrl-C
    to quit. If stdin or stdout is not a terminal, the command measures for one second, prints the numbers
    once and ends.`,
  options: {},
  calls: 'GSQ_INTERNAL_ADDR',
  async run(read, terminal) {
    if (read.positionals.length > 0) throw new UsageError('top takes no argument');
    const show = async (call: CallCore): Promise<void> => {
      const first = await sample(call);
      if (!terminal.openScreen) {
        await pause(EVERY_MS);
        terminal.out(`${screenLines(first, await sample(call), terminal).join('\n')}\n`);
        return;
      }
      const screen = terminal.openScreen();
      try {
        await watch(call, screen, first, terminal);
      } finally {
        screen.close();
      }
    };
    await withCore(read.config, show, DEADLINE_MS);
    return exitStatus.ok;
  },
};
