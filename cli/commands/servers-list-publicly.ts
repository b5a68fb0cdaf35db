import { gsqV1 } from '../../proto/descriptors.ts';
import { exitStatus } from '../../runtime/lifecycle.ts';
import type { Command } from '../console/command.ts';
import { jsonLine } from '../console/printable.ts';
import { TextTable } from '../console/text-table.ts';
import { withCore } from '../service/core-call.ts';
import { readNamed } from './servers.ts';

const admin = gsqV1.AdminService.service;

export const serversListPublicly: Command = {
  usage: ['<game> <address>... [--off] [--json]'],
  about: `Chooses the servers that everybody sees. With GSQ_PAGE=on and GSQ_PAGE_SERVERS=listed, callers without a
    token see only these servers, on pages, in images and in answers. If a server is not tracked, the exit
    status is 1.`,
  options: {
    off: { type: 'boolean', about: 'hide the servers again' },
    json: { type: 'boolean', about: 'print one JSON object: {tracked: [{game_id, server}]}' },
  },
  operand: 'games',
  calls: 'GSQ_INTERNAL_ADDR',
  async run(read, terminal) {
    const { gameId, addresses } = readNamed(read);
    const isPublic = !read.flag('off');
    const { tracked } = await withCore(read.config, call =>
      call(admin.ListPublicly, { servers: [{ gameId, servers: addresses }], isPublic }),
    );
    const known = new Set(tracked.map(({ server }) => server));
    if (read.flag('json')) {
      const json = { tracked: tracked.map(({ gameId: game_id, server }) => ({ game_id, server })) };
      terminal.out(jsonLine(json));
    } else {
      const done = isPublic ? 'public' : 'hidden';
      const rows = addresses.map(server => [server, known.has(server) ? done : 'not tracked']);
      terminal.out(new TextTable(terminal.stdout).format(rows));
    }
    return known.size < addresses.length ? exitStatus.failed : exitStatus.ok;
  },
};
