import type { Reason } from '../servers/server-record.ts';

/**
 * Messages that replace the data of a server that never answered. They explain to people what is wrong and what to do.
 */
export const fallbackMessages: Readonly<Record<Reason, string>> = {
  unprobed: 'No data yet: this server is waiting for its first probe.',
  no_reply:
    'No data: this server has not answered any probe so far; check the address, its query port, and that it runs.',
  refused:
    'No data: the host says that nothing listens at this port; check the port, and that the server runs.',
  malformed:
    'No data: what answers at this address does not speak the protocol of this game; check game_id and port.',
  unresolvable_host: 'No data: this host name has no address now; check the name.',
  blocked_address:
    'No data: this host name leads to an address at which no server is asked; check the name, or use a public address.',
  needs_credentials:
    'No data: servers of this game answer only with credentials; the operator of this service can add them.',
  needs_option:
    'No data: an option is needed to ask this server, such as a guild id; the operator of this service can add it.',
  directory_unavailable:
    'No data: the directory that knows the servers of this game does not answer now; it is asked again by itself.',
  directory_refused:
    'No data: this server, or the directory of its game, refuses this service; the operator of this service can look into it.',
  not_listed:
    'No data: the directory that knows the servers of this game does not list this one; check the address, and that the server is public.',
  paced:
    'No data yet: this server, or the directory of its game, may be asked only so often; ask again later.',
  prober_unavailable:
    'No data: this service cannot ask servers just now; its operator can look into it. Ask again later.',
};
