import { gsqV1 } from '../../proto/descriptors.ts';
import { exitStatus } from '../../runtime/lifecycle.ts';
import { type Arguments, type Command, readArguments, UsageError } from '../console/command.ts';
import { accessChangeOptions, readAccessChange } from '../console/server-access.ts';
import { TextTable } from '../console/text-table.ts';
import { withCore } from '../service/core-call.ts';

const admin = gsqV1.AdminService.service;

interface Named {
  gameId: string;
  addresses: string[];
}

function readNamed(read: Arguments): Named {
  const [gameId, ...addresses] = read.positionals;
  if (gameId === undefined || addresses.length === 0) {
    throw new UsageError('a game and at least one address are needed');
  }
  return { gameId, addresses: [...new Set(addresses)] };
}

export const serversAdd: Command = {
  help: `Usage: gsq servers add <game> <address>... [--secret-file <file>] [--option <name>=<value>]... [--json]

Tracks servers, as a fetch that names them would. Those tracked already stay as they are, but for what is given here; one
that never answered begins anew and is kept. Exit status 1 if one of them was refused, an unknown game included; the others are tracked all the same. <game> is an id of "gsq games"; an address is host:port, [IPv6]:port for IPv6.

  --secret-file <file>      the password, key or token that these servers are asked with; the file must be its owner's
                            alone. It is stored encrypted and shown by no command
  --no-secret               forget the secret that is stored
  --option <name>=<value>   what else these servers are asked with, such as query_port=27016; docs/protocols.md tells
                            which game takes which. Each replaces the one of its name; <name>= forgets it
  --json                    one JSON object: {auto_inserted, inserted_servers, invalid_servers}, as _meta of a fetch

Talks to the core at GSQ_INTERNAL_ADDR (--internal-addr).
`,
  async run(args, terminal) {
    const read = readArguments(args, { ...accessChangeOptions, json: { type: 'boolean' } }, terminal);
    const { gameId, addresses } = readNamed(read);
    const access = readAccessChange(read) ?? null;
    const { meta } = await withCore(read.config, 'GSQ_INTERNAL_ADDR', call =>
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
      terminal.out(`${JSON.stringify(json)}\n`);
    } else {
      const added = new Set(inserted.map(({ server }) => server));
      const refused = new Map(invalid.map(({ server, message }) => [server, message]));
      const outcome = (server: string): string => {
        const why = refused.get(server);
        if (why !== undefined) return `refused: ${why}`;
        const stored = access ? ', what it is asked with is stored' : '';
        return `${added.has(server) ? 'added' : 'tracked already'}${stored}`;
      };
      terminal.out(new TextTable().format(addresses.map(server => [server, outcome(server)])));
    }
    return invalid.length > 0 ? exitStatus.failed : exitStatus.ok;
  },
};

export const serversRemove: Command = {
  help: `Usage: gsq servers remove <game> <address>... [--json]

Forgets servers and their data; a later fetch that names one tracks it anew. Exit status 1 where one of them was
not tracked; an unknown game or a malformed address is misuse (2), and nothing is forgotten.

  --json   one JSON object: {removed: [{game_id, server}]}

Talks to the core at GSQ_INTERNAL_ADDR (--internal-addr).
`,
  async run(args, terminal) {
    const read = readArguments(args, { json: { type: 'boolean' } }, terminal);
    const { gameId, addresses } = readNamed(read);
    const { removed } = await withCore(read.config, 'GSQ_INTERNAL_ADDR', call =>
      call(admin.RemoveServers, { servers: [{ gameId, servers: addresses }] }),
    );
    const gone = new Set(removed.map(({ server }) => server));
    if (read.flag('json')) {
      const json = { removed: removed.map(({ gameId: game_id, server }) => ({ game_id, server })) };
      terminal.out(`${JSON.stringify(json)}\n`);
    } else {
      const rows = addresses.map(server => [server, gone.has(server) ? 'removed' : 'not tracked']);
      terminal.out(new TextTable().format(rows));
    }
    return gone.size < addresses.length ? exitStatus.failed : exitStatus.ok;
  },
};
