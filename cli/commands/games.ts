import { gsqV1 } from '../../proto/descriptors.ts';
import { exitStatus } from '../../runtime/lifecycle.ts';
import { type Command, UsageError } from '../console/command.ts';
import { matchesGame } from '../console/game-search.ts';
import { jsonLine } from '../console/printable.ts';
import { heading, TextTable } from '../console/text-table.ts';
import { withCore } from '../service/core-call.ts';

export const games: Command = {
  usage: ['[<word>] [--json]'],
  about: `Lists the supported games: the id, which a fetch calls game_id, and the name. With <word>, lists only the
    games whose id or name contains this word. If there is none, the exit status is 1.`,
  options: {
    json: { type: 'boolean', about: 'print a JSON array of {id, name}' },
  },
  calls: 'GSQ_INTERNAL_ADDR',
  async run(read, terminal) {
    const [word, ...more] = read.positionals;
    if (more.length > 0) throw new UsageError('games takes at most one word; put quotes around a name');
    const answer = await withCore(read.config, call => call(gsqV1.GameService.service.ListGames, {}));
    const list = answer.games
      .map(({ id, name }) => ({ id, name }))
      .filter(game => word === undefined || matchesGame(game, word));
    if (read.flag('json')) terminal.out(jsonLine(list));
    else if (list.length > 0)
      terminal.out(
        new TextTable(terminal.stdout).format([
          heading('ID', 'NAME'),
          ...list.map(({ id, name }) => [id, name]),
        ]),
      );
    else terminal.talk(`no game has "${word}" in its id or name; list all with: gsq games`);
    return list.length > 0 ? exitStatus.ok : exitStatus.failed;
  },
};
