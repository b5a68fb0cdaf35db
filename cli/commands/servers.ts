import { gsqV1 } from '../../proto/descriptors.ts';
import { exitStatus } from '../../runtime/lifecycle.ts';
import { type Arguments, type Command, UsageError } from '../console/command.ts';
import { jsonLine } from '../console/printable.ts';
import { accessChangeOptions, readAccessChange } from '../console/server-access.ts';
import { TextTable } from '../console/text-table.ts';
import { withCore } from '../service/core-call.ts';

const admin = gsqV1.AdminService.service;

export interface Named {
  gameId: string;
  addresses: string[];
}

/**
 * Returns the game and the server addresses from the arguments of a command. Throws UsageError if the game is missing,
 * or if there is no address.
 */
export function readNamed(read: Arguments): Named {
  const [gameId, ...addresses] = read.positionals;
  if (gameId === undefined || addresses.length === 0) {
    throw new UsageError('a game and at least one address are needed');
  }
  return { gameId, addresses: [...new Set(addresses)] };
}

export const serversAdd: Command = {
  usage: ['<game> <address>... [--secret-file <file>] [--option <name>=<value>]... [--json]'],
  about: `Tracks servers, like a fetch of these servers. A server that is already tracked keeps its data; only
    the secret and the options that are given here change. gsq never gives up a server that was added with
    this command, even if it never answers. If a server is refused or the game is unknown, the exit status
    is 1; all other servers are still tracked. <game> is an id of "gsq games". <address> is host:port, or
    [IPv6]:port.`,
  options: {
    ...accessChangeOptions,
    json: {
      type: 'boolean',
      about:
        'print one JSON object: {auto_inserted, inserted_servers, invalid_servers}, as in _meta of a fetch',
    },
  },
  notes: `gsq stores the secret encrypted, and no command shows it. The value of an option replaces the stored
    value of this option; --option <name>= deletes it.`,
  operand: 'games',
  calls: 'GSQ_INTERNAL_ADDR',
  async run(read, terminal) {
    const { gameId, addresses } = readNamed(read);
    const access = readAccessChange(read) ?? null;
    const { meta } = await withCore(read.config, call =>
      call(admin.AddServers, { servers: [{ gameId, servers: addresses }], access }),
    );
    const inserted = meta?.insertedServers ?? [];
    const invalid = meta?.invalidServers ?? [];
    if (read.flag('json')) {
      const json = {
        auto_inserted: inserted.length,
        inserted_servers: inserted.map(({ gameId: game_id, server }) => ({ game_id, server })),
        invalid_servers: invalid.map(({ gameId: game_id, server, reason, message }) => ({
          game_id,
          server,
          reason,
          message,
        })),
      };
      terminal.out(jsonLine(json));
    } else {
      const added = new Set(inserted.map(({ server }) => server));
      const refused = new Map(invalid.map(({ server, message }) => [server, message]));
      const outcome = (server: string): string => {
        const why = refused.get(server);
        if (why !== undefined) return `refused: ${why}`;
        const stored = access ? ', credentials stored' : '';
        return `${added.has(server) ? 'added' : 'already tracked'}${stored}`;
      };
      terminal.out(new TextTable(terminal.stdout).format(addresses.map(server => [server, outcome(server)])));
    }
    return invalid.length > 0 ? exitStatus.failed : exitStatus.ok;
  },
};

export const serversRemove: Command = {
  usage: ['<game> <address>... [--json]'],
  about: `Removes servers and their data. A later fetch of such a server tracks it again. If a server was not
    tracked, the exit status is 1. If the game is unknown or an address is malformed, no server is removed
    and the exit status is 2.`,
  options: {
    json: { type: 'boolean', about: 'print one JSON object: {removed: [{game_id, server}]}' },
  },
  operand: 'games',
  calls: 'GSQ_INTERNAL_ADDR',
  async run(read, terminal) {
    const { gameId, addresses } = readNamed(read);
    const { removed } = await withCore(read.config, call =>
      call(admin.RemoveServers, { servers: [{ gameId, servers: addresses }] }),
    );
    const gone = new Set(removed.map(({ server }) => server));
    if (read.flag('json')) {
      const json = { removed: removed.map(({ gameId: game_id, server }) => ({ game_id, server })) };
      terminal.out(jsonLine(json));
    } else {
      const rows = addresses.map(server => [server, gone.has(server) ? 'removed' : 'not tracked']);
      terminal.out(new TextTable(terminal.stdout).format(rows));
    }
    return gone.size < addresses.length ? exitStatus.failed : exitStatus.ok;
  },
};
