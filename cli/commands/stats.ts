import { exitStatus } from '../../runtime/lifecycle.ts';
import { type Command, type Terminal, UsageError } from '../console/command.ts';
import { jsonLine } from '../console/printable.ts';
import { TextTable } from '../console/text-table.ts';
import { readableTime } from '../console/timestamp.ts';
import { withCore } from '../service/core-call.ts';
import { proberState, readStats, type ServiceStats, storeState } from '../service/service-stats.ts';

/** Maximum number of games that `gsq stats` shows. */
const GAMES = 10;

function rows(
  { servers, labels, games, fetches, probes, ...stats }: ServiceStats,
  { stdout, now }: Terminal,
): string[][] {
  const { online, offline, pending, unproven } = servers;
  const labelled = Object.entries(labels).map(([label, count]) => `${count} ${label}`);
  return [
    ['version', stats.version],
    ['started', readableTime(stats.started_at, stdout, now) ?? '-'],
    ['servers', `${servers.tracked}: ${online} online, ${offline} offline, ${pending} pending`],
    ['never answered', String(unproven)],
    ['labels', labelled.join(', ')],
    ['games', games.map(({ game_id, servers: count }) => `${count} ${game_id}`).join(', ') || '-'],
    ['fetches', `${fetches.answered} answered, ${fetches.refused} refused, ${fetches.in_flight} in progress`],
    ['probers', proberState(probes)],
    ['probes', `${probes.recorded} recorded, ${probes.online} online, ${probes.in_flight} in progress`],
    ['lag', `${probes.lag_seconds.toFixed(2)} s`],
    ['store', storeState(stats.store)],
    ['tokens', `${stats.tokens} live`],
  ];
}

export const stats: Command = {
  usage: ['[--json]'],
  about: `Shows what the service tracks and does: the servers by status, label and game, the fetches and probes
    since its start, how late the probes are, and the state of the store.`,
  options: {
    json: { type: 'boolean', about: 'print a JSON object' },
  },
  calls: 'GSQ_INTERNAL_ADDR',
  async run(read, terminal) {
    if (read.positionals.length > 0) throw new UsageError('stats takes no argument');
    const seen = await withCore(read.config, call => readStats(call, GAMES));
    terminal.out(
      read.flag('json') ? jsonLine(seen) : new TextTable(terminal.stdout).format(rows(seen, terminal)),
    );
    return exitStatus.ok;
  },
};
