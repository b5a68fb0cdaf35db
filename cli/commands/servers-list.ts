import { gsqV1 } from '../../proto/descriptors.ts';
import type { ServerAccess__Output as ServerAccess } from '../../proto/generated/gsq/v1/ServerAccess.ts';
import type { ServerResult__Output as ServerResult } from '../../proto/generated/gsq/v1/ServerResult.ts';
import { exitStatus } from '../../runtime/lifecycle.ts';
import { type Command, CommandError, type Terminal, UsageError } from '../console/command.ts';
import type { Style } from '../console/output.ts';
import { jsonLine } from '../console/printable.ts';
import { type Cell, heading, TextTable } from '../console/text-table.ts';
import { isoTime, readableTime } from '../console/timestamp.ts';
import { type CallCore, withCore } from '../service/core-call.ts';

const admin = gsqV1.AdminService.service;

const PAGE_SIZE = 1000;

const STYLES: Readonly<Record<string, Style>> = { online: 'good', offline: 'bad', pending: 'doubtful' };

function statusOf({ updater }: ServerResult): string {
  return (updater?.status ?? '').replace('SERVER_STATUS_', '').toLowerCase();
}

function labelOf({ updater }: ServerResult): string {
  return (updater?.firewallLabel ?? '').replace('FIREWALL_LABEL_', '').toLowerCase();
}

/** A tracked server, and information about its stored credentials without their values. */
export interface Listed {
  result: ServerResult;
  access: ServerAccess | undefined;
  /**
   * Id of the token that inserted the server, or `admin`; undefined if the core has an old version that does not send
   * this id.
   */
  insertedBy: string | undefined;
}

function serverJson({ result, access, insertedBy }: Listed) {
  const { gameId, server, updater, payload } = result;
  return {
    game_id: gameId,
    server,
    status: statusOf(result),
    reason: updater?.reason || null,
    name: payload?.name ?? null,
    map: payload?.map ?? null,
    players: payload?.players ?? null,
    maxplayers: payload?.maxplayers ?? null,
    firewall_label: labelOf(result),
    firewall_interval_minutes: updater?.firewallIntervalMinutes ?? null,
    next_probe_at: isoTime(updater?.nextProbeAt),
    last_probe_at: isoTime(updater?.lastProbeAt),
    last_online_at: isoTime(updater?.lastOnlineAt),
    secret: access?.hasSecret ?? false,
    options: access?.options ?? [],
    inserted_by: insertedBy ?? null,
  };
}

function serverRow({ result, access, insertedBy }: Listed, { stdout, now }: Terminal): Cell[] {
  const askedWith = [...(access?.hasSecret ? ['secret'] : []), ...(access?.options ?? [])];
  const { gameId, server, payload, updater } = result;
  return [
    gameId,
    server,
    { text: statusOf(result), style: STYLES[statusOf(result)] },
    updater?.reason || '-',
    payload ? `${payload.players ?? '?'}/${payload.maxplayers ?? '?'}` : '-',
    readableTime(isoTime(updater?.lastOnlineAt), stdout, now) ?? 'never',
    askedWith.join(', ') || '-',
    insertedBy ?? '-',
    payload?.name ?? '-',
  ];
}

/**
 * Yields the tracked servers page by page, sorted by game and address. `gameId`: only servers of this game, or '' for
 * all. `insertedBy`: only servers that this token inserted, or '' for all.
 */
export async function* pages(call: CallCore, gameId: string, insertedBy = ''): AsyncGenerator<Listed[]> {
  let pageToken = '';
  do {
    const request = { gameId, insertedBy, pageSize: PAGE_SIZE, pageToken };
    const page = await call(admin.ListServers, request);
    const access = new Map(page.access.map(each => [`${each.gameId} ${each.server}`, each]));
    if (insertedBy !== '' && page.servers.length !== page.insertedBy.length)
      throw new CommandError(
        exitStatus.failed,
        'this core is too old to say which token inserted a server; upgrade it',
      );
    yield page.servers.map((result, i) => ({
      result,
      access: access.get(`${result.gameId} ${result.server}`),
      insertedBy: page.insertedBy[i],
    }));
    pageToken = page.nextPageToken;
  } while (pageToken !== '');
}

export const serversList: Command = {
  usage: ['[--game <id>] [--inserted-by <token id>] [--json]'],
  about: `Lists the tracked servers with their data, in order of game and address. For the secret and the
    options of a server (gsq servers add --help), it shows only the names, never a value.`,
  options: {
    game: { type: 'string', value: '<id>', values: 'games', about: 'list only the servers of this game' },
    'inserted-by': {
      type: 'string',
      value: '<token id>',
      values: [],
      about: 'list only the servers that fetches with this token inserted; admin: those of operators',
    },
    json: { type: 'boolean', about: 'print a JSON array of objects' },
  },
  calls: 'GSQ_INTERNAL_ADDR',
  async run(read, terminal) {
    if (read.positionals.length > 0) throw new UsageError('servers list takes no argument; use --game <id>');
    const game = read.value('game') ?? '';
    const insertedBy = read.value('inserted-by') ?? '';
    await withCore(read.config, async call => {
      if (read.flag('json')) {
        let opening = '[';
        for await (const page of pages(call, game, insertedBy)) {
          for (const listed of page) {
            terminal.out(`${opening}\n${jsonLine(serverJson(listed)).trimEnd()}`);
            opening = ',';
          }
        }
        terminal.out(opening === '[' ? '[]\n' : '\n]\n');
        return;
      }
      const table = new TextTable(terminal.stdout);
      let rows = [
        heading(
          'GAME',
          'SERVER',
          'STATUS',
          'REASON',
          'PLAYERS',
          'LAST ONLINE',
          'CREDENTIALS',
          'INSERTED BY',
          'NAME',
        ),
      ];
      for await (const page of pages(call, game, insertedBy)) {
        terminal.out(table.format([...rows, ...page.map(listed => serverRow(listed, terminal))]));
        rows = [];
      }
    });
    return exitStatus.ok;
  },
};
