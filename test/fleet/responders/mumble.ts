import type { FleetServer, Responder } from '../responder.ts';

const REQUEST = 'json';

interface Channel {
  id: number;
  name: string;
  description: string;
  users: object[];
  channels: Channel[];
}

/**
 * Returns the root channel in the channel tree of a Mumble server. The users are spread evenly over the root channel, a
 * channel below it, and a subchannel of that channel.
 */
function rootChannel({ players }: FleetServer): Channel {
  const users = players.map(({ name, time }, i) => ({ name, onlinesecs: time, session: i, comment: '{"[' }));
  const third = Math.ceil(users.length / 3);
  const channel = (id: number, channels: Channel[]): Channel => ({
    id,
    name: `channel ${id}`,
    description: '<b>a "quoted" } word \\</b>',
    users: users.slice(id * third, (id + 1) * third),
    channels,
  });
  return channel(0, [channel(1, [channel(2, [])]), channel(3, [])]);
}

/** Fake server that answers like GTmurmur, a status service with its own port beside a Mumble server. */
export const mumble: Responder = {
  transport: 'tcp',
  respond: (server, request) => {
    const asked = request.toString('latin1');
    if (asked.length < REQUEST.length && REQUEST.startsWith(asked)) return undefined;
    if (asked !== REQUEST) return [];
    const document = {
      id: 1,
      name: server.name,
      x_connecturl: 'mumble://voice.example/?version=1.2.0',
      x_gtmurmur_connectport: '64738',
      x_gtmurmur_max_users: String(server.maxplayers),
      x_gtmurmur_server_version: server.version,
      root: rootChannel(server),
    };
    return [Buffer.from(JSON.stringify(document, undefined, '\t'))];
  },
};
