import { gsqV1 } from '../../proto/descriptors.ts';
import { exitStatus } from '../../runtime/lifecycle.ts';
import { type Command, readArguments, UsageError } from '../console/command.ts';
import { TextTable } from '../console/text-table.ts';
import { withCore } from '../service/core-call.ts';

export const games: Command = {
  help: `Usage: gsq games [--json]

Lists the supported games: the id, which a fetch calls game_id, and the name.

  --json   print a JSON array of {id, name}

Talks to the core at GSQ_GRPC_ADDR (--grpc-addr).
`,
  async run(args, terminal) {
    const read = readArguments(args, { json: { type: 'boolean' } }, terminal);
    if (read.positionals.length > 0) throw new UsageError('games takes no argument');
    const answer = await withCore(read.config, 'GSQ_GRPC_ADDR', call =>
      call(gsqV1.GameService.service.ListGames, {}),
    );
    const list = answer.games.map(({ id, name }) => ({ id, name }));
    if (read.flag('json')) terminal.out(`${JSON.stringify(list)}\n`);
    else terminal.out(new TextTable().format([['ID', 'NAME'], ...list.map(({ id, name }) => [id, name])]));
    return exitStatus.ok;
  },
};
