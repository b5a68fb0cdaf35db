import type { RestMissing, RestPayload } from '../../../client/rest-client.ts';

/** A tracked server as an answer of the API shows it: an entry of `GET /v1/servers`, or the data of an event. */
export type ShownServer = { game_id: string; server: string } & (RestPayload | RestMissing);

/** Returns the name of a server. Returns its address if the server has never answered. */
export function nameOf(server: ShownServer): string {
  return 'name' in server ? server.name : server.server;
}

/** Returns the path of the page of a server. */
export function serverPath({ game_id: gameId, server }: Pick<ShownServer, 'game_id' | 'server'>): string {
  return `/server/${encodeURIComponent(gameId)}/${encodeURIComponent(server)}`;
}
